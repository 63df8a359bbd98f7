# Makes the expectations of `prices_of_the_papers_objective_are_those_of_r` in tests/learn.rs.
# Run in this directory: Rscript make.R
# Made with R 4.2.2 and nnls 1.4.
#
# normalised.csv: program, size, ns, then how often each construct runs. normalised.txt: construct and price by the non-negative form of Das and
# Hoffmann (ML for ML, TACAS 2017, section 2): errors of a program's rows are divided by the sum of its times.
suppressMessages(library(nnls))
set.seed(20261122)
programs <- c("append", "fold", "grow", "hanoi", "map", "queens", "search", "sum")
sizes <- c(100, 200, 500, 1000, 3000, 9000)
prices <- c(base = 30, call = 1.4, cons = 0.9, load = 0.3, test = 0)
d <- expand.grid(size = sizes, program = programs)
each <- matrix(rpois(length(programs) * 4, 2) + runif(length(programs) * 4), nrow = length(programs))
counts <- cbind(base = 1, round(each[as.integer(d$program), ] * d$size))
colnames(counts) <- names(prices)
ns <- round(as.vector(counts %*% prices) * exp(rnorm(nrow(d), sd = 0.2)))
total <- as.vector(tapply(ns, d$program, sum)[as.character(d$program)])
fit <- nnls(counts / total, ns / total)
write.csv(data.frame(program = d$program, size = d$size, ns = ns, counts), "normalised.csv", row.names = FALSE, quote = FALSE)
cat(paste(names(prices), sprintf("%.17g", fit$x)), sep = "\n", file = "normalised.txt")
