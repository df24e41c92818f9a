"""Where ``libcst.tool`` finds ``selfdebug.codemods``.

The tool looks up COMMAND below each package that ``.libcst.codemod.yaml`` lists, so with
``selfdebug._libcst`` listed there the name ``selfdebug.codemods.NullGuard`` works as typed.
"""
