"""The half of the warm runner that lives in the project's own interpreter.

Standard library and pytest only, from Python 3.7 on: the folder is copied to where that interpreter
finds it, under a name that nobody has.
"""
