package query

import "strings"

// Ask is the relation that a question is about.
type Ask string

// The relations that a question can be about.
const (
	AskNothing    Ask = ""           // no relation: what is this about
	AskCalls      Ask = "calls"      // who calls it, or what it calls
	AskUses       Ask = "uses"       // any use of it, or all that it uses
	AskImplements Ask = "implements" // types that implement it
	AskExtends    Ask = "extends"    // types derived from it
	AskImports    Ask = "imports"    // files that import it
	AskOverrides  Ask = "overrides"  // methods that replace it
	AskTakes      Ask = "takes"      // functions with a parameter of the type
	AskReturns    Ask = "returns"    // functions that return the type
	AskHolds      Ask = "holds"      // types with a field of the type
	AskCreates    Ask = "creates"    // functions that make objects of the type
	AskListens    Ask = "listens"    // handlers of an event
	AskMembers    Ask = "members"    // what it declares
	AskDefined    Ask = "defined"    // where it is
	AskAffected   Ask = "affected"   // what breaks when it changes
	AskPath       Ask = "path"       // how two of them are connected
)

// form is how a word says its relation.
type form uint8

const (
	verb       form = iota + 1 // "calls": whoever stands before it does it
	participle                 // "called": also passive
	agent                      // "callers": those that do it to the subject
	object                     // "callees": those that the subject does it to
	action                     // "usages": done to the subject, unless "from" or "by" it
)

// lexeme is what a word of a question means.
type lexeme struct {
	ask  Ask
	form form
}

// lexicon has the words that relate, in English, German, French, Spanish,
// Portuguese, Italian, Dutch and Russian, folded.
var lexicon = buildLexicon()

const lexiconTable = `
calls verb: call calls calling invoke invokes invoking execute executes trigger triggers
calls participle: called invoked executed triggered
calls agent: caller callers invoker invokers
calls object: callee callees
calls action: invocation invocations callsite callsites
calls verb: ruft rufen aufruft aufrufen
calls participle: aufgerufen gerufen
calls agent: aufrufer aufrufern aufrufstellen
calls action: aufruf aufrufe
calls verb: appelle appellent appeler invoque invoquent
calls participle: appele appelee appeles appelees invoque
calls agent: appelant appelants
calls action: appel appels
calls verb: llama llaman llamar invoca invocan
calls participle: llamado llamada llamados llamadas invocado
calls agent: llamador llamadores
calls action: llamadas
calls verb: chama chamam chamar
calls participle: chamado chamada chamados chamadas
calls agent: chamador chamadores
calls verb: chiama chiamano chiamare richiama richiamano
calls participle: chiamato chiamata chiamati chiamate richiamato
calls agent: chiamante chiamanti
calls action: chiamate
calls verb: roept aanroept aanroepen
calls participle: aangeroepen
calls verb: вызывает вызывают вызывать
calls participle: вызывается вызываются вызван
calls action: вызовы вызов вызовов

uses verb: use uses using utilize utilizes consume consumes need needs depend depends require requires access accesses touch touches reference references mention mentions
uses participle: used utilized consumed needed required referenced accessed mentioned
uses agent: user users consumer consumers dependent dependents client clients
uses object: dependency dependencies
uses action: usage usages uses reference references occurrence occurrences
uses verb: verwendet verwenden benutzt benutzen nutzt nutzen braucht
uses participle: verwendet benutzt genutzt referenziert
uses agent: nutzer verwender
uses action: verwendung verwendungen verwendungsstellen
uses verb: utilise utilisent emploie
uses participle: utilise utilisee utilises utilisees
uses action: utilisation utilisations
uses verb: usa usan usar utiliza utilizan
uses participle: usado usada usados usadas utilizado utilizada
uses action: usos
uses verb: usam utilizam
uses verb: usano utilizzano utilizza
uses participle: usato usata usati utilizzato utilizzata
uses action: utilizzi utilizzo
uses verb: gebruikt gebruiken
uses verb: использует используют
uses participle: используется используются

implements verb: implement implements implementing satisfy satisfies
implements participle: implemented satisfied
implements agent: implementer implementers implementor implementors implementation implementations
implements verb: implementiert implementieren
implements participle: implementiert
implements agent: implementierung implementierungen
implements verb: implemente implementent
implements verb: implementa implementan implementam implementano
implements agent: implementacion implementaciones implementacoes implementazioni implementatie implementaties
implements verb: реализует реализуют

extends verb: extend extends extending inherit inherits inheriting subclass embed embeds
extends participle: extended inherited subclassed embedded derived
extends agent: subclass subclasses child children descendant descendants subtype subtypes
extends object: superclass superclasses parent parents ancestor ancestors supertype supertypes base
extends verb: erbt erben erweitert erweitern
extends agent: unterklasse unterklassen
extends verb: etend etendent herite heritent
extends verb: extiende extienden hereda heredan
extends verb: estende estendono eredita ereditano herda herdam
extends verb: наследует наследуют

imports verb: import imports importing include includes
imports participle: imported included
imports agent: importer importers
imports verb: importiert importieren
imports participle: importiert
imports verb: importe importent importa importan importam importano

overrides verb: override overrides overriding redefine redefines
overrides participle: overridden redefined
overrides agent: overrider overriders
overrides verb: ueberschreibt uberschreibt uberschreiben

creates verb: instantiate instantiates create creates creating construct constructs build builds
creates participle: instantiated created constructed
creates verb: erzeugt erzeugen cree creent crea crean creano cria criam
takes verb: accept accepts take takes receive receives
takes participle: accepted passed
returns verb: return returns yield yields produce produces
returns participle: returned produced
holds verb: hold holds store stores keep keeps
holds participle: held stored
listens verb: listen listens handle handles subscribe subscribes react reacts observe observes
listens participle: handled observed
listens agent: listener listeners subscriber subscribers handler handlers observer observers
members object: method methods member members field fields property properties attributes functions methoden
members verb: contain contains declare declares
defined participle: defined declared definiert definido definida definito defini
affected verb: affect affects break breaks impact impacts
affected participle: affected impacted broken
affected action: impact consequences change changes changed
`

// CJK words stand inside a run of characters, so they are looked for in it. Each
// has its relation and form.
const hanTable = `
调用者 calls agent
调用方 calls agent
呼び出し元 calls agent
被调用者 calls object
调用 calls verb
呼び出 calls verb
呼び 出 calls verb
호출 calls verb
使用者 uses agent
使用 uses verb
引用 uses verb
参照 uses verb
依赖 uses verb
使っ uses verb
使う uses verb
사용 uses verb
实现 implements verb
実装 implements verb
구현 implements verb
继承 extends verb
継承 extends verb
상속 extends verb
导入 imports verb
インポート imports verb
`

func buildLexicon() map[string][]lexeme {
	forms := map[string]form{"verb": verb, "participle": participle, "agent": agent, "object": object, "action": action}
	m := map[string][]lexeme{}
	for line := range strings.Lines(lexiconTable) {
		head, words, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		ask, name, _ := strings.Cut(strings.TrimSpace(head), " ")
		for _, w := range strings.Fields(words) {
			m[w] = append(m[w], lexeme{Ask(ask), forms[name]})
		}
	}
	return m
}

type hanWord struct {
	text string
	lexeme
}

func hanWords() []hanWord {
	forms := map[string]form{"verb": verb, "agent": agent, "object": object}
	var list []hanWord
	for line := range strings.Lines(hanTable) {
		if f := strings.Fields(line); len(f) == 3 {
			list = append(list, hanWord{f[0], lexeme{Ask(f[1]), forms[f[2]]}})
		}
	}
	return list
}

// wordSet makes a set of words for the small lists of the parser.
func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	// auxiliary verbs before a subject make it the one that does it.
	doing = wordSet("does do did")
	// being makes a participle passive.
	being = wordSet("is are was were be been being gets get wird werden wurde wurden ist sind est sont es esta son e sao viene vengono vengono se si wordt worden")
	// by names who does it.
	by = wordSet("by von durch par por da dal dalla door from")
	// of leads to what it is done to.
	of = wordSet("of to on for in inside within on der des von de du del da do di della van к")
	// make turns a noun of action around: "the calls that X makes".
	making = wordSet("make makes made macht")
	// pathWords ask how two things are connected.
	pathWords = wordSet("path route between connection connect connects connected reach reaches link links linked pfad weg zwischen verbindung chemin entre camino percorso")
	// question words and nouns that name no subject unless nothing else does.
	fillers = wordSet(`code function functions method methods class classes type types struct structs interface interfaces file files
		module modules package packages place places somewhere anywhere everywhere all any every list show find tell me us give get please
		there and or if when how much many which what who where whom whose why you i it its our my we symbol symbols line lines site sites
		everything everyone anything else directly indirectly currently actually still also only just really
		happens happen would will should could can might may must have has had not than then
		quien quienes que donde cual cuales wer wo was welche welcher welches woher wie chi cosa dove quali qui quoi ou quem onde wie кто что где
		klasse klassen funktion funktionen stellen methode methoden datei dateien fonction fonctions classe fichier clases clase funcion funciones
		classi funzione funzioni classes funcao funcoes auf an ein`)
	// kindWords say what kind of thing the name next to them is.
	kindWords = map[string]string{"function": "callable", "func": "callable", "method": "callable", "methode": "callable", "funktion": "callable",
		"class": "type", "type": "type", "struct": "type", "interface": "type", "trait": "type", "enum": "type", "klasse": "type", "classe": "type",
		"clase": "type", "schnittstelle": "type", "field": "field", "property": "field", "constant": "const", "const": "const", "variable": "const",
		"file": "file", "package": "package", "module": "package"}
)
