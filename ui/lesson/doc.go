// Package lesson shows the text of a lesson beside its traffic. The text is a
// small part of Markdown: headings, paragraphs, lists, code blocks, `code` and
// *emphasis* and **strong emphasis**.
//
//	traffic │ One word apart
//	        │ The client says SendMessage, the agent knows only message/send.
//
// Invariant: what is no Markdown this package knows is shown as it stands.
// Start reading at lesson.go.
package lesson
