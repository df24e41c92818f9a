"""The steps of the loop, a file each: observe, propose, try, prove, and the report at the end.

What every step works with is in ``context``, how far a run has come in ``progress``.
"""
