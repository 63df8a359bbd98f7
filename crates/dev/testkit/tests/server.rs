//! A server under load: what is counted is what the client was answered.

use pricetag_testkit::server::{Server, disagreements};
use pricetag_testkit::{Agent, Machine};

#[test]
fn a_server_counts_every_request() {
    let agent = Agent::locate().expect("the agent builds");
    let machine = Machine::system().expect("there is a JDK");
    let server = Server::start(&machine, Some(&agent), 8).expect("the server starts");
    let answers = server.load(8, 500, 0).expect("the client is answered");
    assert_eq!((answers.good, answers.bad), (8 * 450, 8 * 50));
    let counts = server.counts().expect("the server ends");
    assert_eq!(disagreements(&counts, &answers), [""; 0]);
}
