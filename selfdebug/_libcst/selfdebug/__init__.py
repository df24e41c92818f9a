"""The first part of the name ``selfdebug.codemods`` below ``selfdebug._libcst``."""
