use super::*;

fn load(text: &str, outer: &[(&str, &str)]) -> Vec<(String, String)> {
    let outer = |name: &str| outer.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
    let mut loaded = Loaded::new();
    loaded.add(text, &outer);
    loaded.into_variables()
}

fn check(text: &str, outer: &[(&str, &str)], expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    assert_eq!(load(text, outer), expected);
}

// The expectations of these tests were recorded from Bun 1.4.5.

#[test]
fn lines() {
    check(
        "# c\nA=1\n B = two words  \nexport C=3\nexport   D = 4\nE: yaml\nF : 8\nG=\nH=a=b=c\nDOT.T=1\nDA-SH=2\n1N=3\n.R=5\n",
        &[],
        &[
            ("A", "1"),
            ("B", "two words"),
            ("C", "3"),
            ("D", "4"),
            ("E", "yaml"),
            ("F", "8"),
            ("G", ""),
            ("H", "a=b=c"),
            ("DOT.T", "1"),
            ("DA-SH", "2"),
            ("1N", "3"),
            (".R", "5"),
        ],
    );
    check(
        "A\nB:1\né=1\n=no\nA B=1\nS:T=4\nU:=6\n$Y=9\n[x]=1\nexportX=1\nexport=2\nV=:7\nW: a: b\nT=é\n",
        &[],
        &[("exportX", "1"), ("export", "2"), ("V", ":7"), ("W", "a: b"), ("T", "é")],
    );
    check("A=1\r\nB=\"x\"\r\nBAD LINE\nC=z", &[], &[("A", "1"), ("B", "x"), ("C", "z")]);
    check("A=\rB='bar\r\rbaz'\r\nC=moo\r", &[], &[("A", ""), ("B", "bar\n\nbaz"), ("C", "moo")]);
    check("\u{feff}A=bom\n", &[], &[("A", "bom")]);
    check("A=1\nA=2\n", &[], &[("A", "2")]);
}

#[test]
fn comments_and_quotes() {
    check(
        "A=x # c\nB=x#y\nC=\"a # b\" # c\nD='a#b'\nE=#x\nF=\"x\"y\"z\"\nG=a'b\nH=\" l \"\nI='\"'\nJ=\"\"x\nK='it''s'\nL= \"q\" z\n",
        &[],
        &[
            ("A", "x"),
            ("B", "x"),
            ("C", "a # b"),
            ("D", "a#b"),
            ("E", ""),
            ("F", "x"),
            ("G", "a'b"),
            ("H", " l "),
            ("I", "\""),
            ("J", ""),
            ("K", "it"),
            ("L", "q"),
        ],
    );
    check(
        "A=\"l1\nl2\"\nB='m\ns'\nC=`b \\n 'x' \"y\"`\nD=\"\\n\\r\\t\\\"q\"\nE=a\\nb\nF='a\\nb'\nG=\"C:\\new\"\nH='a\\'b'\n",
        &[],
        &[
            ("A", "l1\nl2"),
            ("B", "m\ns"),
            ("C", "b \\n 'x' \"y\""),
            ("D", "\n\r\\t\\\"q"),
            ("E", "a\\nb"),
            ("F", "a\\nb"),
            ("G", "C:\new"),
            ("H", "a\\'b"),
        ],
    );
    check("A=\"never\nB=1\n", &[], &[("A", "\"never"), ("B", "1")]);
    check("A='x\nB=\"y\nC=`z\nD=1\n", &[], &[("A", "'x"), ("B", "\"y"), ("C", "`z"), ("D", "1")]);
    check("A=x\\\nB=1\nS=\"c\\\nd\"\n", &[], &[("A", "x\\"), ("B", "1"), ("S", "c\\\nd")]);
}

#[test]
fn expansion() {
    check(
        "Z=late\nA=$Z\nB=${Z}x\nC=$Zx\nD=$Z-x\nE=$Z.x\nF=${ Z }\nG=${Z:-a b}\nH=${NO:-a b}\nI=${NO:-a}b}\nJ=${NO:-$Z-$N2:-x}\n",
        &[],
        &[
            ("Z", "late"),
            ("A", "late"),
            ("B", "latex"),
            ("C", ""),
            ("D", "late-x"),
            ("E", "late.x"),
            ("F", "${ Z }"),
            ("G", "late"),
            ("H", "a b"),
            ("I", "ab}"),
            ("J", "late-:-x"),
        ],
    );
    check(
        "Z=l\nA=\\$Z\nB=\"\\$Z ${Z}\"\nC='$Z'\nD=`$Z`\nE=$\nF=$$\nG=${Z\nH=${}\nI=${NO-d}\nJ=${NO:+d}\nK=$(x)\nL=\\\\$Z\nM=a$\nN=$ a\n",
        &[],
        &[
            ("Z", "l"),
            ("A", "$Z"),
            ("B", "$Z l"),
            ("C", "l"),
            ("D", "l"),
            ("E", "$"),
            ("F", "$$"),
            ("G", "${Z"),
            ("H", ""),
            ("I", "${NO-d}"),
            ("J", "${NO:+d}"),
            ("K", "$(x)"),
            ("L", "\\$Z"),
            ("M", "a$"),
            ("N", "$ a"),
        ],
    );
    check(
        "Z=l\nA=${NO:-{a}b}c\nB=${NO:-${N2:-x}y}z\nC=${Z:-${NO}}y\nD=${NO:-}\nE=\"${NO:-{}}\"\nF=${NO:-\\$x}\nG=\\${NO:-x}\nH=$Z$Z\n",
        &[],
        &[
            ("Z", "l"),
            ("A", "{ab}c"),
            ("B", "xyz"),
            ("C", "ly"),
            ("D", ""),
            ("E", "{}"),
            ("F", "$x"),
            ("G", "${NO:-x}"),
            ("H", "ll"),
        ],
    );
    // In order: a later line is seen as written.
    check("Y=$A\nA=$B\nB=v\nC=$A\nD=x$D\n", &[], &[("Y", "$B"), ("A", "v"), ("B", "v"), ("C", "v"), ("D", "xx$D")]);
}

// What the package manager's own reader was tested with; it disagreed about comments and about single quotes.
#[test]
fn values_of_the_package_manager() {
    check("A=1\nexport B = two words # not\n# C=3\nD='a $A'\n", &[], &[("A", "1"), ("B", "two words"), ("D", "a 1")]);
    check("A=1\nB=$A-${A}-${C:-x}\\$\n", &[], &[("A", "1"), ("B", "1-1-x$")]);
    check("A=\"one\ntwo\" # x\nB=2", &[], &[("A", "one\ntwo"), ("B", "2")]);
    check("A=\nB", &[], &[("A", "")]);
    check("A='open\nB=1\n", &[], &[("A", "'open"), ("B", "1")]);
    check("A=b#c\n", &[], &[("A", "b")]);
}

#[test]
fn bun_env_before_node_env() {
    let of = |set: &[(&str, &str)]| {
        environment(&|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    };
    assert_eq!(of(&[("NODE_ENV", "production")]).as_deref(), Some("production"));
    assert_eq!(of(&[("NODE_ENV", "production"), ("BUN_ENV", "test")]).as_deref(), Some("test"));
    assert_eq!(of(&[("NODE_ENV", "production"), ("BUN_ENV", "")]).as_deref(), Some(""));
    assert_eq!(of(&[]), None);
}

#[test]
fn process_variables_win() {
    check(
        "A=file\nB=$A\nP=/x:$P\nC=$Q\n",
        &[("A", "env"), ("Q", "$HOME"), ("P", "/bin")],
        &[("B", "env"), ("C", "$HOME")],
    );
    check("A=file\n", &[("A", "")], &[]);
}

#[test]
fn stronger_files_first() {
    let none = |_: &str| None;
    let mut loaded = Loaded::new();
    loaded.add("X=local\nL=$LO\n", &none);
    loaded.add("X=plain\nY=$X\nLO=1\n", &none);
    let expected = [("X", "local"), ("L", ""), ("Y", "local"), ("LO", "1")];
    assert_eq!(loaded.into_variables(), expected.map(|(a, b)| (a.to_string(), b.to_string())));
    assert_eq!(automatic_files(Some("staging"))[0], ".env.development.local");
    assert!(!automatic_files(Some("test")).contains(&".env.local"));
}
