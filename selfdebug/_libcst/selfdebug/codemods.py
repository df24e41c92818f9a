"""All codemods, under the name by which ``libcst.tool`` looks them up."""

from selfdebug.codemods import *  # noqa: F403
