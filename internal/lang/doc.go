// Package lang holds every word that a person reads on the screen, in each
// language of the program.
//
//	lang.Get("zh").TabDiagnosis      a word
//	lang.Get("zh").AndMore(3)        a sentence with numbers in it
//	lang.Get("zh").Outcome("ok")     a word for a code
//
// Words is a struct, so that a word that is asked for and not there does not
// compile; a test sees to it that no language leaves one empty, and that the
// holes of a sentence are the same in all of them. The texts of the rules are
// not here: they stand beside their conditions.
//
// Start reading at words.go; en.go and zh.go are the languages.
package lang
