package graph

import "fmt"

// Relation is how the source of an edge relates to its target. The zero value
// is no relation.
type Relation uint8

// The relations. Their numbers are the relation_id of stored facts: add at the
// end, at most 63.
const (
	NoRelation    Relation = iota
	Contains               // file or package -> what it declares; section -> subsection
	HasMethod              // type -> its method
	Defines                // type -> its field or constant
	Calls                  // function -> what it calls
	References             // holder -> type or constant that it names
	Imports                // file -> what it imports
	ImportsFrom            // file -> the file or package that it imports from
	ReExports              // file -> what it passes on
	DynamicImport          // file -> what it loads when it runs
	Inherits               // type -> its base
	Extends                // as Inherits, where a language tells them apart
	Implements             // type -> interface
	MixesIn                // type -> trait or module
	Embeds                 // type -> type whose members it takes over
	Uses                   // holder -> type whose objects it makes or statics it touches
	RationaleFor           // prose -> what it explains
	Instantiates           // function -> type that it makes an object of
	Triggers
	ReadsFrom
	Includes // file -> file whose text it takes in
	ListenedBy
	BoundTo
	UsesConfig
	UsesStaticProp
	ReferencesConstant
	Cites
	ConceptuallyRelatedTo
	SharesDataWith
	SemanticallySimilarTo
	Overrides // method -> the method of a base or interface that it replaces
	relationEnd
)

var relationNames = [relationEnd]string{
	"", "contains", "method", "defines", "calls", "references", "imports", "imports_from", "re_exports",
	"dynamic_import", "inherits", "extends", "implements", "mixes_in", "embeds", "uses", "rationale_for",
	"instantiates", "triggers", "reads_from", "includes", "listened_by", "bound_to", "uses_config",
	"uses_static_prop", "references_constant", "cites", "conceptually_related_to", "shares_data_with",
	"semantically_similar_to", "overrides",
}

// String returns the name of the relation.
func (r Relation) String() string {
	if r >= relationEnd {
		return fmt.Sprintf("relation(%d)", uint8(r))
	}
	return relationNames[r]
}

// RelationNamed returns the relation of a name.
func RelationNamed(name string) (Relation, bool) {
	for i, n := range relationNames {
		if n == name && name != "" {
			return Relation(i), true
		}
	}
	return NoRelation, false
}

// Relations returns all relations in the order of their numbers.
func Relations() []Relation {
	all := make([]Relation, 0, relationEnd-1)
	for r := NoRelation + 1; r < relationEnd; r++ {
		all = append(all, r)
	}
	return all
}

// MarshalText implements encoding.TextMarshaler.
func (r Relation) MarshalText() ([]byte, error) {
	if r == NoRelation || r >= relationEnd {
		return nil, fmt.Errorf("no relation has number %d", uint8(r))
	}
	return []byte(relationNames[r]), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Relation) UnmarshalText(text []byte) error {
	named, ok := RelationNamed(string(text))
	if !ok {
		return fmt.Errorf("unknown relation %q", text)
	}
	*r = named
	return nil
}

// RelationSet is a set of relations. The empty set stands for all of them.
type RelationSet uint64

// Of returns the set of the given relations.
func Of(relations ...Relation) RelationSet {
	var s RelationSet
	for _, r := range relations {
		s |= 1 << r
	}
	return s
}

// Has reports whether edges of relation r are meant.
func (s RelationSet) Has(r Relation) bool { return s == 0 || s&(1<<r) != 0 }

// List returns the relations of the set in order, all of them for the empty set.
func (s RelationSet) List() []Relation {
	var list []Relation
	for _, r := range Relations() {
		if s.Has(r) {
			list = append(list, r)
		}
	}
	return list
}

// The contexts in which an edge stands, as Edge.Context has them. An edge may
// have none, and others are allowed.
const (
	ContextCall          = "call"
	ContextNew           = "new"
	ContextImport        = "import"
	ContextUse           = "use"
	ContextField         = "field"
	ContextParameterType = "parameter_type"
	ContextReturnType    = "return_type"
	ContextGenericArg    = "generic_arg"
	ContextAttribute     = "attribute"
	ContextValue         = "value"
	ContextType          = "type"
)

// Contexts are those above, as people may ask for them.
func Contexts() []string {
	return []string{ContextCall, ContextNew, ContextImport, ContextUse, ContextField, ContextParameterType,
		ContextReturnType, ContextGenericArg, ContextAttribute, ContextValue, ContextType}
}
