//! Operation constants.

use model_resource::{ALL_METHODS, CREATE, DELETE, GET, HEAD, LIST, Operations, PATCH, PUT};

/// CON-1: the six operations are printed as their names, and `ALL_METHODS` has them in alphabetical order.
#[test]
fn the_constants_are_the_six_operations_in_alphabetical_order() {
    let names: Vec<String> = ALL_METHODS.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["create", "delete", "get", "list", "patch", "put"]);
    assert_eq!(ALL_METHODS, [CREATE, DELETE, GET, LIST, PATCH, PUT]);
}

/// CON-1: a set of operations contains exactly its arguments.
#[test]
fn a_set_of_operations_holds_exactly_what_it_names() {
    for operation in ALL_METHODS {
        assert!(Operations::ALL.contains(operation), "{operation}");
        assert!(!Operations::NONE.contains(operation), "{operation}");
        let others = ALL_METHODS.iter().filter(|other| **other != operation);
        assert!(Operations::of([operation]).contains(operation), "{operation}");
        for other in others {
            assert!(
                !Operations::of([operation]).contains(*other),
                "{operation}, {other}"
            );
        }
    }
}

/// CON-2: `HEAD` is a string that does not convert into operations. Otherwise `OneWay` would be ambiguous and this
/// would not compile. The compile-fail case `head_among_operations` shows the message.
#[test]
fn head_is_a_string_and_not_an_operation() {
    trait OneWay<A> {
        fn taken() -> bool {
            false
        }
    }
    struct AsOperation;
    impl<T> OneWay<()> for T {}
    impl<T: Into<Operations>> OneWay<AsOperation> for T {}

    fn is_no_operation(text: &'static str) -> &'static str {
        assert!(!<&'static str as OneWay<_>>::taken());
        text
    }
    assert_eq!(is_no_operation(HEAD), "head");
    assert!(ALL_METHODS.iter().all(|operation| operation.name() != HEAD));
}
