package terms

import "strings"

// stopwords are words that ask, join and point in six languages. Words that
// are also names in code or words of another of the languages are left out on
// purpose (war, bald, comment, come, son, sin, con, pour, des), and so are the
// verbs of relations (calls, uses): they are content.
var stopwords = set(english, german, french, spanish, portuguese, italian)

const (
	english = `how what why when where which who whom whose
		does did is are was were be been being can could should would will shall may might must has have had
		the and but not for from with without into onto off about
		that this these those there here its their them they any all some
		work works working`

	german = `der die das den dem ein eine einen einem einer eines
		und oder aber nicht auch nur
		wie was wer wen wem wessen warum wieso weshalb wann wo woher wohin welche welcher welches welchen
		ist sind wird werden wurde wurden kann können koennen hat haben
		von vom für fuer mit bei aus nach zum zur über ueber
		funktioniert geändert geaendert`

	french = `qui que quoi quel quelle quels quelles où quand pourquoi est sont les une dans fonctionne`

	spanish = `qué cómo cuándo dónde quién quiénes cuál cuáles por el los las una funciona`

	portuguese = `que quê como quando onde quem qual quais porque os uma são funciona`

	italian = `che cosa chi quando dove perché quale quali sono gli una della funziona`
)

func set(lists ...string) map[string]bool {
	m := map[string]bool{}
	for _, list := range lists {
		for _, w := range strings.Fields(list) {
			m[w] = true
		}
	}
	return m
}
