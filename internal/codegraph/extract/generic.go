package extract

import "sortedheap/internal/syntax"

func genericLanguage(_ syntax.Language) language {
	return language{
		define: func(*walker, *Def, syntax.NodeID) {}, enter: func(*walker, *Def, syntax.NodeID) {},
		visit: func(*walker, syntax.NodeID) bool { return false },
		expr:  func(*walker, syntax.NodeID) int32 { return -1 },
	}
}
