"""Names of the standard library that are elsewhere, or called otherwise, since some Python version.

The sources are the pages "What's New in Python" (https://docs.python.org/3/whatsnew), sections
"Removed" and "Porting to Python", and the list of renamed modules in PEP 3108.
"""

from __future__ import annotations

from collections.abc import Mapping

_ABC = (
    *("Awaitable", "Coroutine", "AsyncIterable", "AsyncIterator", "AsyncGenerator", "Hashable"),
    *("Iterable", "Iterator", "Generator", "Reversible", "Sized", "Container", "Callable"),
    *("Collection", "Set", "MutableSet", "Mapping", "MutableMapping", "MappingView", "KeysView"),
    *("ItemsView", "ValuesView", "Sequence", "MutableSequence", "ByteString"),
)

NAMES: Mapping[str, str] = {
    **{f"collections.{name}": f"collections.abc.{name}" for name in _ABC},  # 3.10
    "fractions.gcd": "math.gcd",  # 3.9
    "base64.encodestring": "base64.encodebytes",  # 3.9
    "base64.decodestring": "base64.decodebytes",  # 3.9
    "time.clock": "time.perf_counter",  # 3.8
    "cgi.escape": "html.escape",  # 3.8
    "inspect.getargspec": "inspect.getfullargspec",  # 3.11
    "locale.format": "locale.format_string",  # 3.12
    "configparser.SafeConfigParser": "configparser.ConfigParser",  # 3.12
    "pipes.quote": "shlex.quote",  # 3.13
    "imp.reload": "importlib.reload",  # 3.12
    "os.getcwdu": "os.getcwd",  # 3.0, as all below
    "sys.maxint": "sys.maxsize",
    "string.letters": "string.ascii_letters",
    "string.lowercase": "string.ascii_lowercase",
    "string.uppercase": "string.ascii_uppercase",
    "itertools.izip_longest": "itertools.zip_longest",
    "itertools.ifilterfalse": "itertools.filterfalse",
    "urllib.urlencode": "urllib.parse.urlencode",
    "urllib.quote": "urllib.parse.quote",
    "urllib.quote_plus": "urllib.parse.quote_plus",
    "urllib.unquote": "urllib.parse.unquote",
    "urllib.unquote_plus": "urllib.parse.unquote_plus",
    "urllib.urlopen": "urllib.request.urlopen",
    "urllib.urlretrieve": "urllib.request.urlretrieve",
    "urllib2.urlopen": "urllib.request.urlopen",
    "urllib2.Request": "urllib.request.Request",
    "urllib2.HTTPError": "urllib.error.HTTPError",
    "urllib2.URLError": "urllib.error.URLError",
}
"""From a module and name to those that hold the same today."""

MODULES: Mapping[str, str] = {
    "xml.etree.cElementTree": "xml.etree.ElementTree",  # 3.9
    "ConfigParser": "configparser",  # PEP 3108, as all below
    "Queue": "queue",
    "SocketServer": "socketserver",
    "StringIO": "io",
    "cStringIO": "io",
    "cPickle": "pickle",
    "copy_reg": "copyreg",
    "repr": "reprlib",
    "__builtin__": "builtins",
    "HTMLParser": "html.parser",
    "htmlentitydefs": "html.entities",
    "httplib": "http.client",
    "cookielib": "http.cookiejar",
    "Cookie": "http.cookies",
    "BaseHTTPServer": "http.server",
    "SimpleHTTPServer": "http.server",
    "urlparse": "urllib.parse",
    "robotparser": "urllib.robotparser",
    "xmlrpclib": "xmlrpc.client",
    "thread": "_thread",
}
"""From a module to the one that has its names today."""

BUILTINS: Mapping[str, str] = {
    "unicode": "str",
    "basestring": "str",
    "long": "int",
    "xrange": "range",
    "raw_input": "input",
    "unichr": "chr",
}
"""From a builtin of Python 2 to the one that took its place (https://docs.python.org/3/whatsnew/3.0)."""

METHODS: Mapping[str, str] = {
    "array.array.tostring": "tobytes",  # 3.9
    "array.array.fromstring": "frombytes",  # 3.9
    "Thread.isAlive": "is_alive",  # 3.9
    "Element.getiterator": "iter",  # 3.9
    "xml.etree.ElementTree.Element.getiterator": "iter",
    "ElementTree.getiterator": "iter",
    "ConfigParser.readfp": "read_file",  # 3.12
    "RawConfigParser.readfp": "read_file",
}
"""From a class, as messages name it, and a method to the method that took its place."""
