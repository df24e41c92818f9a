"""An import is added where a careful person would put it, and not twice."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from selfdebug.codemods._import import importing
from selfdebug.syntax.project import Project
from selfdebug.syntax.source import apply

ROOT = Path("/nowhere/project")
FILES = {"shop/__init__.py": "", "shop/cart.py": "", "shop/store.py": "", "shop/api.py": ""}


def with_import(code: str, statement: str) -> str:
    contents = {ROOT / file: text.encode() for file, text in FILES.items()}
    contents[ROOT / "shop/api.py"] = code.encode()
    edit = importing(ROOT / "shop/api.py", statement, Project(ROOT, (), contents))
    return apply(code.encode(), (edit,)).decode() if edit else code


def block(text: str) -> str:
    return dedent(text).lstrip("\n")


PLACES = {
    "the first one goes below the docstring": (
        "import json",
        '''
        """Doc."""

        def load(): ...
        ''',
        '''
        """Doc."""

        import json


        def load(): ...
        ''',
    ),
    "below a docstring that touches the code": (
        "import json",
        '''
        """Doc."""
        LIMIT = 3
        ''',
        '''
        """Doc."""

        import json

        LIMIT = 3
        ''',
    ),
    "at the top of a file without a docstring": (
        "import json",
        """
        def load(): ...
        """,
        """
        import json


        def load(): ...
        """,
    ),
    "below the shebang and the licence": (
        "import json",
        """
        #!/usr/bin/env python3
        # Copyright 2020 Ann
        # SPDX-License-Identifier: MIT

        LIMIT = 3
        """,
        """
        #!/usr/bin/env python3
        # Copyright 2020 Ann
        # SPDX-License-Identifier: MIT

        import json

        LIMIT = 3
        """,
    ),
    "above the comment of the first statement": (
        "import json",
        """
        #!/usr/bin/env python3
        # How many there may be.
        LIMIT = 3
        """,
        """
        #!/usr/bin/env python3

        import json

        # How many there may be.
        LIMIT = 3
        """,
    ),
    "in the order of its group": (
        "import math",
        """
        import json
        import re
        from pathlib import Path
        """,
        """
        import json
        import math
        import re
        from pathlib import Path
        """,
    ),
    "a from import after the plain ones": (
        "from collections import Counter",
        """
        import json
        import re
        from pathlib import Path
        """,
        """
        import json
        import re
        from collections import Counter
        from pathlib import Path
        """,
    ),
    "by module where the file sorts both forms together": (
        "import math",
        """
        from collections import Counter
        import json
        from pathlib import Path
        import re
        """,
        """
        from collections import Counter
        import json
        import math
        from pathlib import Path
        import re
        """,
    ),
    "at the end of a group that has no order": (
        "import math",
        """
        import re
        import json

        import shop.store
        """,
        """
        import re
        import json
        import math

        import shop.store
        """,
    ),
    "a group of its own between others": (
        "import pytest",
        """
        import re

        from shop.store import find
        """,
        """
        import re

        import pytest

        from shop.store import find
        """,
    ),
    "the standard library above the first group": (
        "import re",
        """
        # Ours
        from shop.store import find
        from .cart import Cart
        """,
        """
        import re
        # Ours
        from shop.store import find
        from .cart import Cart
        """,
    ),
    "the standard library above the only group": (
        "import re",
        """
        # Ours
        from shop.store import find
        """,
        """
        import re

        # Ours
        from shop.store import find
        """,
    ),
    "below the future": (
        "import re",
        """
        from __future__ import annotations

        def load(): ...
        """,
        """
        from __future__ import annotations

        import re

        def load(): ...
        """,
    ),
    "the future above everything": (
        "from __future__ import annotations",
        '''
        """Doc."""

        import re
        ''',
        '''
        """Doc."""

        from __future__ import annotations

        import re
        ''',
    ),
    "below the heading of its group": (
        "import json",
        """
        # Standard library
        import re

        # Third party
        import pytest
        """,
        """
        # Standard library
        import json
        import re

        # Third party
        import pytest
        """,
    ),
    "above a remark about the import below": (
        "import json",
        """
        # re2 is too strict
        import re
        """,
        """
        import json
        # re2 is too strict
        import re
        """,
    ),
    "groups that are not kept apart": (
        "import re",
        """
        import json
        import pytest
        from shop import store
        """,
        """
        import json
        import re
        import pytest
        from shop import store
        """,
    ),
    "not among imports further down": (
        "import math",
        """
        import json

        LIMIT = 3

        import re
        """,
        """
        import json
        import math

        LIMIT = 3

        import re
        """,
    ),
    "above an optional import": (
        "import re",
        """
        import json
        try:
            import yaml
        except ImportError:
            yaml = None
        import sys
        """,
        """
        import json
        import re
        try:
            import yaml
        except ImportError:
            yaml = None
        import sys
        """,
    ),
    "the name is for the type checker only": (
        "from decimal import Decimal",
        """
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from decimal import Decimal
        """,
        """
        from decimal import Decimal
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from decimal import Decimal
        """,
    ),
}
NAMES = {
    "in their order": (
        "from datetime import time",
        "from datetime import date, timezone\n",
        "from datetime import date, time, timezone\n",
    ),
    "constants, classes, functions": (
        "from datetime import UTC",
        "from datetime import date, timezone\n",
        "from datetime import UTC, date, timezone\n",
    ),
    "at the end where they have no order": (
        "from datetime import date",
        "from datetime import timezone, time  # clocks\n",
        "from datetime import timezone, time, date  # clocks\n",
    ),
    "under another name": (
        "from datetime import date as day",
        "from datetime import timezone\n",
        "from datetime import date as day, timezone\n",
    ),
    "the same module spelled relatively": (
        "from shop.store import find",
        "from .store import save\n",
        "from .store import find, save\n",
    ),
    "one a line": (
        "from shop.store import find",
        "from shop.store import (\n    add,  # new\n    save,  # old\n)\n",
        "from shop.store import (\n    add,  # new\n    find,\n    save,  # old\n)\n",
    ),
    "the last of one a line": (
        "from shop.store import take",
        "from shop.store import (\n    add,\n    save,  # old\n)\n",
        "from shop.store import (\n    add,\n    save,  # old\n    take,\n)\n",
    ),
    "the last of one a line without a comma": (
        "from shop.store import take",
        "from shop.store import (\n    add,\n    save  # old\n)\n",
        "from shop.store import (\n    add,\n    save,  # old\n    take\n)\n",
    ),
    "an only name on a line": (
        "from shop.store import add",
        "from shop.store import (\n    save,\n)\n",
        "from shop.store import (\n    add,\n    save,\n)\n",
    ),
    "aligned with the bracket": (
        "from shop.store import find",
        "from shop.store import (add,\n                        save)\n",
        "from shop.store import (add,\n                        find,\n                        save)\n",
    ),
    "a line that gets too long": (
        "from shop.store import withdraw",
        "from shop.store import add_many_things_at_once, remove_many_things_at_once, save  # all\n",
        (
            "from shop.store import (\n    add_many_things_at_once,\n"
            "    remove_many_things_at_once,\n    save,\n    withdraw,\n)  # all\n"
        ),
    ),
}
KNOWN = {
    "import json": "import json\n",
    "import os": "import os.path\n",
    "import numpy as np": "import numpy as np\n",
    "from shop.store import find": "from .store import add, find\n",
    "import yaml": "try:\n    import yaml\nexcept ImportError:\n    yaml = None\n",
}


@pytest.mark.parametrize(("statement", "before", "after"), PLACES.values(), ids=PLACES)
def test_a_statement_has_its_place(statement: str, before: str, after: str) -> None:
    assert with_import(block(before), statement) == block(after)


@pytest.mark.parametrize(("statement", "before", "after"), NAMES.values(), ids=NAMES)
def test_a_name_joins_the_names_of_its_module(statement: str, before: str, after: str) -> None:
    assert with_import(before, statement) == after


@pytest.mark.parametrize(("statement", "code"), KNOWN.items(), ids=KNOWN)
def test_what_is_imported_is_not_imported_again(statement: str, code: str) -> None:
    assert with_import(code, statement) == code


@pytest.mark.parametrize("statement", ["import os", "import os.path", "from json import loads"])
def test_other_imports_do_not_count(statement: str) -> None:
    code = "import json\nimport os as system\nimport os_path\n"
    assert with_import(code, statement) != code


@pytest.mark.parametrize(
    ("statement", "before", "after"), [*PLACES.values(), *NAMES.values()], ids=[*PLACES, *NAMES]
)
def test_the_newlines_of_the_file_are_kept(statement: str, before: str, after: str) -> None:
    windows = block(before).replace("\n", "\r\n")
    assert with_import(windows, statement) == block(after).replace("\n", "\r\n")


def test_a_missing_final_newline_stays_missing() -> None:
    assert with_import("import json", "import re") == "import json\nimport re"
    assert with_import('"""Doc."""', "import re") == '"""Doc."""\n\nimport re'
    assert with_import("", "import re") == "import re\n"


def test_lines_with_several_statements_stay_whole() -> None:
    assert with_import('"""Doc."""; LIMIT = (\n3)\n', "import re") == (
        '"""Doc."""; LIMIT = (\n3)\n\nimport re\n'
    )
    assert with_import("import sys; import os\n", "import re") == (
        "import re\n\nimport sys; import os\n"
    )


@pytest.mark.parametrize(
    "statement", ["x = 1", "import", "import os, sys", "from os import *; f()"]
)
def test_other_statements_are_refused(statement: str) -> None:
    with pytest.raises(ValueError, match="no import"):
        with_import("", statement)
