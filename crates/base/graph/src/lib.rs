//! Dominators, strongly connected components, loop nests, spanning trees and data-flow fixpoints.
