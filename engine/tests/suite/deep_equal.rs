use engine::{Local, Scope, TreeRules};

use crate::support::{run, start};

fn compare(scope: &mut Scope<'_>, source: &str, rules: TreeRules) -> Option<bool> {
    scope.nested(|scope| {
        let pair = run(scope, source).unwrap();
        let (a, b): (Local<'_>, Local<'_>) = (scope.get_index(pair, 0).unwrap(), scope.get_index(pair, 1).unwrap());
        let outer = scope.undefined();
        scope.compare_trees(a, b, rules, outer).unwrap().as_bool()
    })
}

/// That plain data is compared here at all is what says that objects lie in memory as engine/src/object_layout.rs thinks.
#[test]
fn plain_data_is_decided_natively() {
    for stress in [0, 1] {
        start(stress).context.with(|scope| {
            let big = "({ a: 1, b: 'x', c: [1, 2.5, { d: null }], e: 10n, f: new Date(5), g: new Uint8Array(9), h: 0, i: 1, j: 2 })";
            for rules in [
                TreeRules::Loose,
                TreeRules::Strict,
                TreeRules::StrictWithoutPrototypes,
                TreeRules::Lenient,
                TreeRules::LenientStrict,
            ] {
                assert_eq!(compare(scope, &format!("[{big}, {big}]"), rules), Some(true));
                // A rope beside flat text, names in another order, an object in dictionary mode.
                let rope = "(() => { const x = { a: 'long text that is '.repeat(3) + Math.abs(-7), b: 1 }; return x })()";
                let flat = "({ b: 1, a: 'long text that is long text that is long text that is 7' })";
                assert_eq!(compare(scope, &format!("[{rope}, {flat}]"), rules), Some(true));
                let dictionary = "(() => { const x = { a: 1, b: 2, c: 3 }; delete x.b; x.d = 4; return x })()";
                assert_eq!(compare(scope, &format!("[{dictionary}, {{ a: 1, c: 3, d: 4 }}]"), rules), Some(true));
                assert_eq!(compare(scope, "[{ a: [1, 'x'] }, { a: [1, 'y'] }]", rules), Some(false));
                assert_eq!(compare(scope, "[{ get a() { return 1 } }, { a: 1 }]", rules), None);
                assert_eq!(compare(scope, "[new Map(), new Map()]", rules), None);
                assert_eq!(compare(scope, "[[1, , 2], [1, , 2]]", rules), None);
            }
            assert_eq!(compare(scope, "[{ a: 0 }, { a: -0 }]", TreeRules::Strict), Some(false));
            assert_eq!(compare(scope, "[{ a: 0 }, { a: -0 }]", TreeRules::Loose), Some(true));
            assert_eq!(compare(scope, "[{ a: NaN }, { a: NaN }]", TreeRules::Strict), Some(true));
            let cycle = "(() => { const x = { a: 1 }; x.self = x; return x })()";
            assert_eq!(compare(scope, &format!("[{cycle}, {cycle}]"), TreeRules::Strict), Some(true));
        });
    }
}
