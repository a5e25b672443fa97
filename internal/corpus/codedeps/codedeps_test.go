package codedeps_test

import (
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus/codedeps"
)

// Each case is a file, its text and what it depends on, in the tree of all paths.
func TestOf(t *testing.T) {
	for name, c := range map[string]struct {
		paths, file, text, want string
	}{
		"c, beside first, then below the root": {"a/x.h x.h a/y.c b/z.h", "a/y.c",
			"#include \"x.h\"\n  #  include \"b/z.h\"\n#include <x.h>\n#include \"gone.h\"\n#include \"x.h\"\n", "a/x.h b/z.h"},
		"c, upwards": {"a/b/y.cc a/x.hpp", "a/b/y.cc", `#include "../x.hpp"`, "a/x.hpp"},
		"c, itself":  {"y.h", "y.h", `#include "y.h"`, ""},
		"crystal": {"src/main.cr src/a.cr src/d/b.cr src/d/c.cr src/d/e/f.cr json.cr", "src/main.cr",
			"require \"json\"\nrequire \"./a\"\nrequire \"./a.cr\"\nrequire \"./d/*\"\n", "src/a.cr src/d/b.cr src/d/c.cr"},
		"crystal, all below": {"x.cr d/b.cr d/e/f.cr", "x.cr", "require \"./d/**\"", "d/b.cr d/e/f.cr"},
		"ruby":               {"lib/a/b.rb lib/c.rb spec/s.rb", "lib/c.rb", "require 'a/b'\nrequire_relative '../spec/s'\nrequire 'set'", "lib/a/b.rb spec/s.rb"},
		"typescript": {"src/a.ts src/b/index.tsx src/c.d.ts src/e.ts src/main.ts x.ts", "src/main.ts",
			"import { A,\n  B } from './a'\nexport * from \"./b\"\nimport type {C} from './c'\nconst d = await import('./e.js')\nimport React from 'react'\nrequire('../x')",
			"src/a.ts src/b/index.tsx src/c.d.ts src/e.ts x.ts"},
		"go": {"main.go db/a.go db/b.go db/a_test.go sub/mod/c.go", "main.go",
			"package main\n\nimport (\n\t\"fmt\"\n\tx \"example.org/m/db\"\n\t\"example.org/other/c\"\n)\n", "db/a.go db/b.go sub/mod/c.go"},
		"go, broken below the imports": {"main.go db/a.go", "main.go", "package main\nimport \"example.org/m/db\"\nfunc {", "db/a.go"},
		"python": {"pkg/__init__.py pkg/a.py pkg/b/__init__.py pkg/b/c.py pkg/main.py tool.py", "pkg/main.py",
			"import os, pkg.a as x\nfrom . import b\nfrom .b import (\n  c,\n  d as e)\nfrom tool import run\nfrom ..tool import z\n",
			"pkg/b/__init__.py pkg/b/c.py tool.py pkg/a.py"},
		"java": {"src/org/x/A.java src/org/x/B.java src/org/y/C.java", "src/org/y/C.java",
			"import java.util.List;\nimport org.x.A;\nimport static org.x.B.of;\nimport org.x.*;\n", "src/org/x/A.java src/org/x/B.java"},
		"php": {"src/Http/Client.php src/Http/Request.php src/Log/Logger.php boot.php src/main.php", "src/main.php",
			"<?php\nuse Vendor\\Lib\\Http\\Client;\nuse Lib\\Http\\{Client, Request as R};\nrequire_once __DIR__ . '/../boot.php';\nuse DateTime;", "src/Http/Client.php src/Http/Request.php boot.php"},
		"rust": {"src/lib.rs src/a.rs src/b/mod.rs src/b/c.rs src/b/d.rs", "src/b/mod.rs",
			"pub mod c;\nuse crate::a::Thing;\nuse super::a;\nuse self::d::{x, y};\nuse std::fmt;\nmod inline { }", "src/b/c.rs src/a.rs src/b/d.rs"},
		"plain text": {"a.md b.md", "a.md", "#include \"b.md\"", ""},
	} {
		tree := codedeps.NewTree(strings.Fields(c.paths), map[string]string{".": "example.org/m", "sub/mod": "example.org/other/c"})
		if got := tree.Of(c.file, c.text); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: %q, want %q", name, got, strings.Fields(c.want))
		}
	}
}
