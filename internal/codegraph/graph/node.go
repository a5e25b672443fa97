package graph

// Node is something that has a name. Strings come from sources and may hold
// anything but NUL bytes and invalid UTF-8: who prints them makes them harmless.
type Node struct {
	// ID is opaque, unique in a graph and stable while the file, the names around
	// it and the order of namesakes stay: "src/Charge.php::App\Charge.run".
	ID string `json:"id"`
	// Label is the bare name: "Charge", "run", "Charge.php".
	Label string `json:"label"`
	// Qualified is the name as the language writes it in full, without the file:
	// "App\Charge::run", "pgx.Conn.Query". It need not be unique.
	Qualified string   `json:"qualified,omitempty"`
	Kind      Kind     `json:"kind"`
	Form      string   `json:"form,omitempty"` // finer than Kind: class, interface, trait, enum, struct, alias, static
	Lang      string   `json:"lang,omitempty"`
	FileType  FileType `json:"file_type,omitempty"`
	// File is relative to the root of the tree with slashes; empty for externals.
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`     // first line of the definition without its comment, from 1; 0 for none
	EndLine int    `json:"end_line,omitempty"` // last line, inclusive
	// Community is a cluster's number from 1; 0 for none.
	Community int `json:"community,omitempty"`
	// Test says that the node is part of a test.
	Test      bool   `json:"test,omitempty"`
	Signature string `json:"signature,omitempty"`
	Doc       string `json:"doc,omitempty"`
}

// Display is the label with its kind made visible as code graphs print it:
// "name()" for a function, ".name()" for a method, the label for all else.
func (n *Node) Display() string {
	switch n.Kind {
	case Function:
		return n.Label + "()"
	case Method:
		return "." + n.Label + "()"
	default:
		return n.Label
	}
}

// Edge is one site that relates two nodes.
type Edge struct {
	Source     int32      `json:"source"`
	Target     int32      `json:"target"`
	Relation   Relation   `json:"relation"`
	Context    string     `json:"context,omitempty"`
	Confidence Confidence `json:"confidence"`
	Score      float32    `json:"score"` // 0 to 1
	// File and Line are where the source says it: the line of the call, not of the
	// function around it.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Why names the evidence in a word or two: "same file", "property type".
	Why string `json:"why,omitempty"`
}

// Unresolved is a call, or another reference to a member, that could not be
// bound to one node.
type Unresolved struct {
	Source   int32    `json:"source"`
	Relation Relation `json:"relation"`
	Name     string   `json:"name"`               // the name called
	Receiver string   `json:"receiver,omitempty"` // what stands before it, as written
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	// Candidates are nodes that it may mean, in order, at most MaxCandidates of
	// them; Total counts all that there are.
	Candidates []int32 `json:"candidates,omitempty"`
	Total      int     `json:"total,omitempty"`
}

// MaxCandidates is how many candidates an unresolved call keeps.
const MaxCandidates = 16

// Info describes a graph as a whole.
type Info struct {
	Schema string `json:"schema"` // SchemaVersion
	// Corpus names the tree that was indexed, Commit its version control commit
	// where there is one, Hash its content: equal hashes mean equal sources.
	Corpus     string         `json:"corpus"`
	Commit     string         `json:"commit,omitempty"`
	Hash       string         `json:"hash,omitempty"`
	Nodes      int            `json:"nodes"`
	Edges      int            `json:"edges"`
	Unresolved int            `json:"unresolved"`
	Files      int            `json:"files"`
	Languages  map[string]int `json:"languages,omitempty"` // files by language
}

// SchemaVersion names the stored form of graphs.
const SchemaVersion = "codegraph/1"
