//! Behaviour as a repository of the Palladio Component Model.
//!
//! Source: the metamodel of Palladio 5.2 (Becker, Koziolek & Reussner 2009). There is one component; an interface for each class of provided and required
//! services; a service effect specification for each provided service: an internal action with the instructions it executes as demand of a processor, then a loop
//! for each required service with its number of calls, or one loop of passes with a branch for each. What depends on state is a branch by probability.
//!
//! Parameters are set as variables of their own before each call, results are kept behind it, so that later formulas can name both.
//! Limits: the demand is in instructions, not in time; approximate formulas are written like exact ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pricetag_classfile::descriptor;
use pricetag_cost_model::Formula;
use pricetag_services::{Behaviour, Kind, Law, Operation, Quality, Service};

use crate::expression::{clean, number, split, truth};
use crate::xml::{characterised, element, escaped, random, usage};

/// The instructions of a call, all categories together.
const INSTRUCTIONS: &str = "instructions";
const RESOURCES: &str = "processor.resourcetype";
const PROCESSOR: &str = "_processor";
/// Formulas that are put into each other.
const NESTED: usize = 4;

/// The files of a model, by name.
pub fn palladio(behaviour: &Behaviour) -> Vec<(&'static str, String)> {
    let mut model = Model {
        behaviour,
        types: BTreeMap::new(),
        next: 0,
    };
    vec![
        ("component.repository", model.repository()),
        (RESOURCES, resources()),
    ]
}

fn resources() -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<resourcetype:ResourceRepository xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:resourcetype="http://palladiosimulator.org/PalladioComponentModel/ResourceType/5.2">
  <availableResourceTypes_ResourceRepository xsi:type="resourcetype:ProcessingResourceType" id="{PROCESSOR}" entityName="processor"/>
</resourcetype:ResourceRepository>
"#
    )
}

struct Model<'b> {
    behaviour: &'b Behaviour,
    /// Data types by descriptor.
    types: BTreeMap<String, (String, String)>,
    next: usize,
}

impl Model<'_> {
    fn id(&mut self, what: &str) -> String {
        self.next += 1;
        format!("_{what}{}", self.next)
    }

    fn repository(&mut self) -> String {
        let behaviour = self.behaviour;
        let provided: Vec<&Service> = behaviour.operations.iter().map(|o| &o.service).collect();
        let required: Vec<&Service> = behaviour.required.iter().collect();
        let mut interfaces = String::new();
        for (role, services) in [("provided", &provided), ("required", &required)] {
            for (place, class) in classes(services).iter().enumerate() {
                let mut signatures = String::new();
                for (number, service) in services.iter().enumerate() {
                    if service.class == *class {
                        signatures += &self.signature(role, number, service);
                    }
                }
                let id = format!("_{role}_interface{place}");
                let name = format!("I{}", clean(class.rsplit('.').next().unwrap_or(class)));
                let kind = ("xsi:type", "repository:OperationInterface");
                let attributes = [kind, ("id", &id), ("entityName", &name)];
                interfaces += &element("interfaces__Repository", &attributes, &signatures);
            }
        }
        let mut inside = String::new();
        for place in 0..classes(&provided).len() {
            let (id, interface) = (
                format!("_provided_role{place}"),
                format!("_provided_interface{place}"),
            );
            let attributes = [
                ("xsi:type", "repository:OperationProvidedRole"),
                ("id", &id),
                ("entityName", &id[1..]),
                ("providedInterface__OperationProvidedRole", &interface),
            ];
            inside += &element("providedRoles_InterfaceProvidingEntity", &attributes, "");
        }
        for place in 0..classes(&required).len() {
            let (id, interface) = (
                format!("_required_role{place}"),
                format!("_required_interface{place}"),
            );
            let attributes = [
                ("xsi:type", "repository:OperationRequiredRole"),
                ("id", &id),
                ("entityName", &id[1..]),
                ("requiredInterface__OperationRequiredRole", &interface),
            ];
            inside += &element("requiredRoles_InterfaceRequiringEntity", &attributes, "");
        }
        for (place, operation) in behaviour.operations.iter().enumerate() {
            inside += &self.effects(place, operation);
        }
        let name = behaviour.component.join(", ");
        let attributes = [
            ("xsi:type", "repository:BasicComponent"),
            ("id", "_component"),
            ("entityName", &name),
        ];
        let component = element("components__Repository", &attributes, &inside);
        let mut types = String::new();
        for (_, text) in self.types.values() {
            types += text;
        }
        let attributes = [
            ("xmi:version", "2.0"),
            ("xmlns:xmi", "http://www.omg.org/XMI"),
            ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
            (
                "xmlns:repository",
                "http://palladiosimulator.org/PalladioComponentModel/Repository/5.2",
            ),
            (
                "xmlns:resourcetype",
                "http://palladiosimulator.org/PalladioComponentModel/ResourceType/5.2",
            ),
            (
                "xmlns:seff",
                "http://palladiosimulator.org/PalladioComponentModel/SEFF/5.2",
            ),
            (
                "xmlns:stoex",
                "http://sdq.ipd.uka.de/StochasticExpressions/2.2",
            ),
            ("id", "_repository"),
            ("entityName", "recorded"),
        ];
        let all = component + &interfaces + &types;
        let mut text = element("repository:Repository", &attributes, &all);
        for (place, descriptor) in self.types.keys().enumerate() {
            let named = format!("\"primitive:{}\"", escaped(descriptor));
            text = text.replace(&named, &format!("\"//@dataTypes__Repository.{place}\""));
        }
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}")
    }

    fn signature(&mut self, role: &str, number: usize, service: &Service) -> String {
        let (parameters, result) = descriptor::split(&service.descriptor).unwrap_or_default();
        let mut inside = String::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let data_type = self.data_type(parameter);
            let given = service.parameters.get(index);
            let name = given.map_or_else(|| format!("p{index}"), |name| clean(name));
            let attributes = [
                ("dataType__Parameter", data_type.as_str()),
                ("parameterName", &name),
            ];
            inside += &element("parameters__OperationSignature", &attributes, "");
        }
        let id = format!("_{role}_signature{number}");
        let mut attributes = vec![("id", id.as_str()), ("entityName", &service.method)];
        let returned;
        if !matches!(result, "V" | "") {
            returned = self.data_type(result);
            attributes.push(("returnType__OperationSignature", &returned));
        }
        element("signatures__OperationInterface", &attributes, &inside)
    }

    /// The id of the data type for a descriptor. Objects of which only the size is known are collections of bytes.
    fn data_type(&mut self, descriptor: &str) -> String {
        if let Some((id, _)) = self.types.get(descriptor) {
            return id.clone();
        }
        let id = self.id("type");
        let primitive = match descriptor {
            "I" | "S" => Some("INT"),
            "J" => Some("LONG"),
            "F" | "D" => Some("DOUBLE"),
            "Z" => Some("BOOL"),
            "C" => Some("CHAR"),
            "B" => Some("BYTE"),
            "Ljava/lang/String;" => Some("STRING"),
            _ => None,
        };
        let text = if let Some(primitive) = primitive {
            let kind = ("xsi:type", "repository:PrimitiveDataType");
            element("dataTypes__Repository", &[kind, ("type", primitive)], "")
        } else {
            let inner = descriptor.strip_prefix('[').unwrap_or("B");
            let inner = self.data_type(inner);
            let name = clean(descriptor);
            let attributes = [
                ("xsi:type", "repository:CollectionDataType"),
                ("id", &id),
                ("entityName", &name),
                ("innerType_CollectionDataType", &inner),
            ];
            element("dataTypes__Repository", &attributes, "")
        };
        // Primitive types have no id of their own: they are named by their place, which is known in the end.
        let id = if primitive.is_some() {
            format!("primitive:{descriptor}")
        } else {
            id
        };
        self.types.insert(descriptor.to_owned(), (id.clone(), text));
        id
    }

    fn effects(&mut self, place: usize, operation: &Operation) -> String {
        let mut steps = Vec::new();
        let demand = operation.laws.iter().find(
            |law| matches!(&law.kind, Kind::Executed { category } if category == INSTRUCTIONS),
        );
        if let Some(law) = demand {
            let resource = format!("{RESOURCES}#{PROCESSOR}");
            let required = element(
                "requiredResource_ParametricResourceDemand",
                &[
                    ("xsi:type", "resourcetype:ProcessingResourceType"),
                    ("href", &resource),
                ],
                "",
            );
            let specification = random(
                "specification_ParametericResourceDemand",
                &number(&self.resolved(operation, &law.formula, 0)),
            );
            let inside = element("resourceDemand_Action", &[], &(specification + &required));
            steps.push((
                "InternalAction",
                "own code".to_owned(),
                String::new(),
                inside,
            ));
        }
        let passes = operation.laws.iter().find(|law| law.kind == Kind::Passes);
        let mut in_pass = Vec::new();
        for &service in &operation.order {
            let calls = |law: &&Law| law.kind == Kind::Calls { service };
            let Some(law) = operation.laws.iter().find(calls) else {
                continue;
            };
            let body = self.call(operation, service, law);
            if law.per_pass {
                in_pass.push(self.branch(&truth(&law.formula), body));
            } else {
                let count = self.resolved(operation, &law.formula, 0);
                steps.push(self.repeat(&count, vec![body]));
            }
        }
        if let (Some(law), false) = (passes, in_pass.is_empty()) {
            steps.push(self.repeat(&law.formula, in_pass));
        }
        let id = self.id("seff");
        let inside = self.steps(steps);
        let service = format!("_provided_signature{place}");
        let attributes = [
            ("xsi:type", "seff:ResourceDemandingSEFF"),
            ("id", id.as_str()),
            ("describedService__SEFF", &service),
        ];
        element(
            "serviceEffectSpecifications__BasicComponent",
            &attributes,
            &inside,
        )
    }

    /// A formula without numbers of calls, which Palladio has no variable for: the formulas of those stand in their place.
    fn resolved(&self, operation: &Operation, formula: &Formula, depth: usize) -> Formula {
        if depth > NESTED {
            return formula.clone();
        }
        let law = |name: &str| {
            let mut laws = operation.laws.iter();
            laws.find(|law| match law.kind {
                Kind::Calls { service } if !law.per_pass => {
                    format!("{}.calls", self.behaviour.required[service].short()) == name
                }
                _ => false,
            })
        };
        let calls = |name: &String| match law(name) {
            Some(law) if law.quality == Quality::Usual => Formula::Product(vec![
                Formula::Constant(law.probability),
                self.resolved(operation, &law.formula, depth + 1),
            ]),
            Some(law) => self.resolved(operation, &law.formula, depth + 1),
            None => Formula::Feature(name.clone()),
        };
        match formula {
            Formula::Feature(name) => calls(name),
            Formula::Linear { intercept, terms } => {
                let terms = terms.iter().map(|(factor, name)| {
                    Formula::Product(vec![Formula::Constant(*factor), calls(name)])
                });
                Formula::Sum(
                    [Formula::Constant(*intercept)]
                        .into_iter()
                        .chain(terms)
                        .collect(),
                )
            }
            other => other.map_parts(&mut |part| self.resolved(operation, part, depth)),
        }
    }

    /// A call with its parameters, as often as state lets it.
    fn call(&mut self, operation: &Operation, service: usize, law: &Law) -> Vec<Step> {
        let required = &self.behaviour.required[service];
        let short = clean(&required.short());
        let mut locals = String::new();
        let mut inputs: BTreeMap<usize, String> = BTreeMap::new();
        for law in &operation.laws {
            let Kind::Parameter {
                service: of,
                parameter,
                part,
            } = &law.kind
            else {
                continue;
            };
            if *of != service {
                continue;
            }
            let kind = split(&format!("x{part}")).1;
            let local = format!("{short}_p{parameter}");
            let value = number(&self.resolved(operation, &law.formula, 0));
            let set = characterised(kind, &value);
            locals += &usage("localVariableUsages_SetVariableAction", &local, &set);
            *inputs.entry(*parameter).or_default() +=
                &characterised(kind, &format!("{local}.{kind}"));
        }
        let mut inside = String::new();
        for (parameter, set) in &inputs {
            let given = required.parameters.get(*parameter);
            let name = given.map_or_else(|| format!("p{parameter}"), |name| clean(name));
            inside += &usage("inputVariableUsages__CallAction", &name, set);
        }
        let (_, result) = descriptor::split(&required.descriptor).unwrap_or_default();
        if !matches!(result, "V" | "") {
            let kind = if result.starts_with(['L', '[']) {
                "NUMBER_OF_ELEMENTS"
            } else {
                "VALUE"
            };
            let set = characterised(kind, &format!("RETURN.{kind}"));
            let local = format!("{short}_result");
            inside += &usage("returnVariableUsage__CallReturnAction", &local, &set);
        }
        let classes = classes(&self.behaviour.required.iter().collect::<Vec<_>>());
        let role = classes.iter().position(|class| *class == required.class);
        let attributes = format!(
            " calledService_ExternalService=\"_required_signature{service}\" role_ExternalService=\"_required_role{}\"",
            role.unwrap_or_default()
        );
        let mut steps = Vec::new();
        if !locals.is_empty() {
            steps.push((
                "SetVariableAction",
                "parameters".to_owned(),
                String::new(),
                locals,
            ));
        }
        steps.push(("ExternalCallAction", short, attributes, inside));
        if law.quality == Quality::Usual {
            vec![self.chance(law.probability, steps)]
        } else {
            steps
        }
    }

    fn repeat(&mut self, count: &Formula, bodies: Vec<impl Into<Body>>) -> Step {
        let steps: Vec<Step> = bodies.into_iter().flat_map(|b| b.into().0).collect();
        let id = self.id("body");
        let inside = self.steps(steps);
        let body = element("bodyBehaviour_Loop", &[("id", &id)], &inside);
        let iterations = random("iterationCount_LoopAction", &number(count));
        (
            "LoopAction",
            "as often as".to_owned(),
            String::new(),
            body + &iterations,
        )
    }

    /// Steps under a condition.
    fn branch(&mut self, condition: &str, steps: Vec<Step>) -> Step {
        let ways = [
            (condition.to_owned(), steps),
            (format!("NOT ({condition})"), Vec::new()),
        ];
        let mut inside = String::new();
        for (condition, steps) in ways {
            let (id, body) = (self.id("way"), self.id("body"));
            let steps = self.steps(steps);
            let body = element("branchBehaviour_BranchTransition", &[("id", &body)], &steps);
            let guard = random("branchCondition_GuardedBranchTransition", &condition);
            let attributes = [
                ("xsi:type", "seff:GuardedBranchTransition"),
                ("id", id.as_str()),
                ("entityName", "way"),
            ];
            inside += &element("branches_Branch", &attributes, &(body + &guard));
        }
        ("BranchAction", "if".to_owned(), String::new(), inside)
    }

    /// Steps with a probability.
    fn chance(&mut self, probability: f64, steps: Vec<Step>) -> Step {
        let mut inside = String::new();
        for (probability, steps) in [(probability, steps), (1.0 - probability, Vec::new())] {
            let (id, body) = (self.id("way"), self.id("body"));
            let steps = self.steps(steps);
            let body = element("branchBehaviour_BranchTransition", &[("id", &body)], &steps);
            let share = probability.to_string();
            let attributes = [
                ("xsi:type", "seff:ProbabilisticBranchTransition"),
                ("id", id.as_str()),
                ("entityName", "way"),
                ("branchProbability", &share),
            ];
            inside += &element("branches_Branch", &attributes, &body);
        }
        ("BranchAction", "state".to_owned(), String::new(), inside)
    }

    /// Steps in a row, from a start to a stop.
    fn steps(&mut self, steps: Vec<Step>) -> String {
        let start = (
            "StartAction",
            "start".to_owned(),
            String::new(),
            String::new(),
        );
        let stop = (
            "StopAction",
            "stop".to_owned(),
            String::new(),
            String::new(),
        );
        let all: Vec<Step> = [start].into_iter().chain(steps).chain([stop]).collect();
        let ids: Vec<String> = all.iter().map(|_| self.id("step")).collect();
        let mut out = String::new();
        for (place, (kind, name, attributes, inside)) in all.iter().enumerate() {
            let mut text = format!(
                "<steps_Behaviour xsi:type=\"seff:{kind}\" id=\"{}\" entityName=\"{}\"{attributes}",
                ids[place],
                escaped(name)
            );
            if place > 0 {
                let _ = write!(text, " predecessor_AbstractAction=\"{}\"", ids[place - 1]);
            }
            if let Some(next) = ids.get(place + 1) {
                let _ = write!(text, " successor_AbstractAction=\"{next}\"");
            }
            let _ = writeln!(out, "{text}>\n{inside}</steps_Behaviour>");
        }
        out
    }
}

/// An action: its kind, name, further attributes, and what is in it.
type Step = (&'static str, String, String, String);

/// One step or several.
struct Body(Vec<Step>);

impl From<Step> for Body {
    fn from(step: Step) -> Self {
        Self(vec![step])
    }
}

impl From<Vec<Step>> for Body {
    fn from(steps: Vec<Step>) -> Self {
        Self(steps)
    }
}

fn classes<'s>(services: &[&'s Service]) -> Vec<&'s str> {
    let mut classes: Vec<&str> = services.iter().map(|s| s.class.as_str()).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}
