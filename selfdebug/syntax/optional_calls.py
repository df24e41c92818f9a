"""Calls of the standard library that return None by contract: valid input, documented "or None".

A codemod may guard such a result without having seen it fail, and a diagnosis may say that the None
was born there. Functions that always return None (``list.sort``) are not here, nor what returns
None only for a misuse. Sources: the library reference, and typeshed's ``X | None`` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Contract(NamedTuple):
    """When a call returns None. A ``default`` names the parameter that is returned instead.

    ``default`` is its keyword and ``position`` its index; None and -1 where there is no such way out.
    """

    why: str
    default: str | None = None
    position: int = -1


_NO_MATCH = Contract("None where the pattern does not match")
_NO_KEY = Contract("None for a key that is not there", "default", 1)
_UNSET = Contract("None for a variable that is not set", "default", 1)
_NO_HEADER = Contract("None for a header that is not there", "failobj", 1)
_NO_CHILD = Contract("None where no element matches")
_NO_ROW = Contract("None when there are no more rows")
_NO_MODULE = Contract("None for a module that is not found")
_NO_PART = Contract("None for a part that the URL does not have")

OPTIONAL_CALLS: Mapping[str, Contract] = {
    "ast.get_docstring": Contract("None for a node without a docstring"),
    "ast.get_source_segment": Contract("None where the node has no place"),
    "asyncio.current_task": Contract("None outside a task"),
    "collections.ChainMap.get": _NO_KEY,
    "collections.Counter.get": _NO_KEY,
    "collections.OrderedDict.get": _NO_KEY,
    "collections.defaultdict.get": _NO_KEY,
    "dict.get": _NO_KEY,
    "email.message.EmailMessage.get": _NO_HEADER,
    "email.message.EmailMessage.get_body": Contract("None where no part fits"),
    "email.message.Message.get": _NO_HEADER,
    "email.message.Message.get_boundary": Contract("None without a boundary", "failobj", 0),
    "email.message.Message.get_content_charset": Contract("None without a charset", "failobj", 0),
    "email.message.Message.get_filename": Contract("None without a file name", "failobj", 0),
    "http.client.HTTPResponse.getheader": Contract(
        "None for a header that is not there", "default", 1
    ),
    "importlib.util.find_spec": _NO_MODULE,
    "importlib.util.spec_from_file_location": Contract("None where no loader takes the file"),
    "inspect.getcomments": Contract("None where no comment stands above"),
    "inspect.getdoc": Contract("None for an object without a docstring"),
    "inspect.getmodule": Contract("None where the module cannot be told"),
    "inspect.getsourcefile": Contract("None for code without a source file"),
    "mimetypes.guess_extension": Contract("None for a type that is not known"),
    "os.cpu_count": Contract("None where the number is not known"),
    "os.environ.get": _UNSET,
    "os.environb.get": _UNSET,
    "os.getenv": _UNSET,
    "pkgutil.find_loader": _NO_MODULE,
    "pkgutil.get_data": Contract("None where the loader has no data"),
    "pkgutil.get_loader": _NO_MODULE,
    "re.Pattern.fullmatch": _NO_MATCH,
    "re.Pattern.match": _NO_MATCH,
    "re.Pattern.search": _NO_MATCH,
    "re.fullmatch": _NO_MATCH,
    "re.match": _NO_MATCH,
    "re.search": _NO_MATCH,
    "shutil.which": Contract("None for a command that is not on the path"),
    "sqlite3.Cursor.fetchone": _NO_ROW,
    "subprocess.Popen.poll": Contract("None while the process runs"),
    "sys.gettrace": Contract("None where no trace function is set"),
    "types.MappingProxyType.get": _NO_KEY,
    "xml.etree.ElementTree.Element.find": _NO_CHILD,
    "xml.etree.ElementTree.Element.findtext": Contract(
        "None where no element matches", "default", 1
    ),
    "xml.etree.ElementTree.Element.get": Contract(
        "None for an attribute that is not there", "default", 1
    ),
    "xml.etree.ElementTree.ElementTree.find": _NO_CHILD,
    "xml.etree.ElementTree.ElementTree.findtext": Contract(
        "None where no element matches", "default", 1
    ),
}
"""By dotted name: ``module.function``, or ``module.Class.method`` for calls on an instance."""

OPTIONAL_ATTRIBUTES: Mapping[str, Contract] = {
    "importlib.machinery.ModuleSpec.loader": Contract("None for a namespace package"),
    "re.Match.lastgroup": Contract("None where no named group matched"),
    "subprocess.Popen.stderr": Contract("None where it is not a pipe"),
    "subprocess.Popen.stdin": Contract("None where it is not a pipe"),
    "subprocess.Popen.stdout": Contract("None where it is not a pipe"),
    "urllib.parse.ParseResult.hostname": _NO_PART,
    "urllib.parse.ParseResult.port": _NO_PART,
    "urllib.parse.ParseResult.username": _NO_PART,
    "xml.etree.ElementTree.Element.text": Contract("None for an element without text"),
    "xml.etree.ElementTree.Element.tail": Contract("None where no text follows"),
}
"""Attributes that may be None, by ``module.Class.attribute``."""

RESULTS: Mapping[str, str] = {
    "collections.Counter": "collections.Counter",
    "collections.OrderedDict": "collections.OrderedDict",
    "collections.defaultdict": "collections.defaultdict",
    "dict": "dict",
    "email.message_from_bytes": "email.message.Message",
    "email.message_from_file": "email.message.Message",
    "email.message_from_string": "email.message.Message",
    "importlib.util.find_spec": "importlib.machinery.ModuleSpec",
    "importlib.util.spec_from_file_location": "importlib.machinery.ModuleSpec",
    "re.compile": "re.Pattern",
    "re.Pattern.match": "re.Match",
    "re.Pattern.search": "re.Match",
    "re.Pattern.fullmatch": "re.Match",
    "re.match": "re.Match",
    "re.search": "re.Match",
    "re.fullmatch": "re.Match",
    "sqlite3.Connection.cursor": "sqlite3.Cursor",
    "sqlite3.Connection.execute": "sqlite3.Cursor",
    "sqlite3.Cursor.execute": "sqlite3.Cursor",
    "sqlite3.connect": "sqlite3.Connection",
    "subprocess.Popen": "subprocess.Popen",
    "urllib.parse.urlparse": "urllib.parse.ParseResult",
    "urllib.request.urlopen": "http.client.HTTPResponse",
    "xml.etree.ElementTree.Element": "xml.etree.ElementTree.Element",
    "xml.etree.ElementTree.Element.find": "xml.etree.ElementTree.Element",
    "xml.etree.ElementTree.ElementTree.find": "xml.etree.ElementTree.Element",
    "xml.etree.ElementTree.ElementTree.getroot": "xml.etree.ElementTree.Element",
    "xml.etree.ElementTree.SubElement": "xml.etree.ElementTree.Element",
    "xml.etree.ElementTree.fromstring": "xml.etree.ElementTree.Element",
    "xml.etree.ElementTree.parse": "xml.etree.ElementTree.ElementTree",
}
"""The class of what a call returns when it is not None, so that a call on the result can be named."""
