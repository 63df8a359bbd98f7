//! A server under load: what is counted is what the client was answered.

use pricetag_testkit::server::{Server, disagreements};
use pricetag_testkit::{Agent, Machine};

/// A server that is counted while it answers 8 clients; how many threads serve.
fn every_request_is_counted(threads: u32) {
    let agent = Agent::locate().expect("the agent builds");
    let machine = Machine::system().expect("there is a JDK");
    let server = Server::start(&machine, Some(&agent), threads).expect("the server starts");
    let answers = server.load(8, 500, 0).expect("the client is answered");
    let expected = (8 * 450, 8 * 50, 8 * 10);
    assert_eq!((answers.good, answers.bad, answers.fresh), expected);
    let counts = server.counts().expect("the server ends");
    assert_eq!(disagreements(&counts, &answers), [""; 0]);
}

#[test]
fn a_server_counts_every_request() {
    every_request_is_counted(8);
}

/// Each thread's counters are added up when it ends.
#[test]
fn a_server_with_a_thread_for_each_request_counts_every_one() {
    every_request_is_counted(0);
}
