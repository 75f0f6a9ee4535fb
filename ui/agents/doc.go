// Package agents shows the agents that were seen: one row each, and below it
// the interfaces, how they really answered, and the card.
//
// What the card declares and what was answered stand side by side: an
// interface that answers in another version than it declares is the commonest
// reason why two sides do not understand each other.
//
// Start reading at agents.go.
package agents
