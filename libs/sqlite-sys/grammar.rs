//! `ORDER BY` and `LIMIT` behind `UPDATE` and `DELETE` (<https://sqlite.org/lang_delete.html>), which Bun's SQLite has. SQLite's sources
//! have the code for them, but whether the grammar has the clauses is decided when lemon makes the parser's tables, and the amalgamation
//! of libsqlite3-sys was made without. So the two rules of the grammar are put into its tables here:
//!
//!     cmd ::= with DELETE FROM xfullname indexed_opt where_opt_ret ORDERBY_OPT LIMIT_OPT
//!     cmd ::= with UPDATE orconf xfullname indexed_opt SET setlist from where_opt_ret ORDERBY_OPT LIMIT_OPT
//!
//! The automaton gets two states for each: one behind `where_opt_ret` and one behind `orderby_opt`. What comes before them needs no
//! change, because lemon makes the reduction of a state that has only one the default for every token. What is shifted in them leads
//! to the states that `SELECT` has for its own clauses. How the tables are read is described in the amalgamation, at `yy_action[]`.
//!
//! build.rs and train.sh use this file.

/// Rules and symbols that the change is made of, as the comments of the amalgamation have them.
const DELETE: &str = "cmd ::= with DELETE FROM xfullname indexed_opt where_opt_ret";
const UPDATE: &str = "cmd ::= with UPDATE orconf xfullname indexed_opt SET setlist from where_opt_ret";
const NO_ORDER: &str = "orderby_opt ::=";
const NO_LIMIT: &str = "limit_opt ::=";

/// What a changed rule gets behind its end: `orderby_opt limit_opt`.
const MORE_SYMBOLS: i32 = 2;

/// One array of the parser: its numbers, and where they stand in the text.
struct Table {
    numbers: Vec<i32>,
    head: String,
}

/// The amalgamation with the clauses in its grammar. `SQLITE_ENABLE_UPDATE_DELETE_LIMIT` has to be defined where it is compiled.
///
/// # Errors
///
/// What is not as expected in the text, which is then of another version of SQLite or of lemon.
pub(crate) fn with_limit_clauses(source: &str) -> Result<String, String> {
    let mut text = source.to_owned();
    if text.contains("updateDeleteLimitError(pParse,") {
        return Ok(text);
    }
    let constant = |name: &str| number_after(source, &format!("#define {name} "));
    let (tokens, max_shift) = (constant("YYNTOKEN")?, constant("YY_MAX_SHIFT")?);
    let (shift_reduce, reduce) = (constant("YY_MIN_SHIFTREDUCE")?, constant("YY_MIN_REDUCE")?);
    let symbol = |name: &str| listed(source, &format!(" */ \"{name}\","));
    let rule = |name: &str| listed(source, &format!(" */ \"{name}\","));
    let (order, limit) = (symbol("ORDER")?, symbol("LIMIT")?);
    let (where_opt_ret, orderby_opt, limit_opt) =
        (symbol("where_opt_ret")?, symbol("orderby_opt")?, symbol("limit_opt")?);

    let mut action = table(source, "static const YYACTIONTYPE yy_action[] = {")?;
    let mut lookahead = table(source, "static const YYCODETYPE yy_lookahead[] = {")?;
    let mut shift = table(source, "static const unsigned short int yy_shift_ofst[] = {")?;
    let mut goto = table(source, "static const short yy_reduce_ofst[] = {")?;
    let mut default = table(source, "static const YYACTIONTYPE yy_default[] = {")?;

    // States that SELECT's clauses are in: where the state that has `orderby_opt` before it goes with ORDER, and likewise LIMIT.
    let clause = |nonterminal: i32, token: i32| -> Result<i32, String> {
        let mut targets: Vec<i32> = (0..goto.numbers.len())
            .filter(|&state| cell(&lookahead, goto.numbers[state] + nonterminal) == Some(nonterminal))
            .map(|state| shift.numbers[state] + token)
            .filter(|&index| cell(&lookahead, index) == Some(token))
            .filter_map(|index| cell(&action, index))
            .collect();
        targets.dedup();
        match targets[..] {
            [target] if target <= max_shift => Ok(target),
            _ => Err(format!("the states of token {token} are {targets:?}")),
        }
    };
    let (order_state, limit_state) = (clause(orderby_opt, order)?, clause(limit_opt, limit)?);

    let first = max_shift + 1;
    if first + 4 > shift_reduce || shift.numbers.len() != first as usize || default.numbers.len() != first as usize {
        return Err(format!("no numbers are free for states behind {max_shift}"));
    }
    goto.numbers.resize(first as usize, 0);
    // Each row has an offset of its own behind all others, so nothing that is looked up in one row finds a cell of another.
    let mut row = lookahead.numbers.len() as i32;
    let end = row + 6 + limit_opt.max(orderby_opt).max(tokens);
    lookahead.numbers.resize(end as usize + tokens as usize, tokens);
    action.numbers.resize(end as usize, 0);
    let mut put = |symbol: i32, value: i32| -> Result<i32, String> {
        let at = (row + symbol) as usize;
        if lookahead.numbers[at] != tokens {
            return Err("rows overlap".into());
        }
        (lookahead.numbers[at], action.numbers[at]) = (symbol, value);
        row += 1;
        Ok(row - 1)
    };
    let (order_row, limit_row) = (put(order, order_state)?, put(limit, limit_state)?);
    // The rows of one symbol follow each other, so that no two are in one cell.
    let states = [(first, reduce + rule(DELETE)?), (first + 2, reduce + rule(UPDATE)?)];
    for (state, _) in states {
        shift.numbers.extend([order_row, limit_row]);
        default.numbers.extend([reduce + rule(NO_ORDER)?, reduce + rule(NO_LIMIT)?]);
        goto.numbers.extend([put(orderby_opt, state + 1)?, 0]);
    }
    for (state, done) in states {
        goto.numbers[state as usize + 1] = put(limit_opt, done)?;
    }
    for (state, done) in states {
        let mut found = 0;
        for index in 0..row as usize {
            if lookahead.numbers[index] == where_opt_ret && action.numbers[index] == done {
                action.numbers[index] = state;
                found += 1;
            }
        }
        if found == 0 {
            return Err(format!("no state goes on to {done}"));
        }
    }

    let last = first + 3;
    define(&mut text, "YYNSTATE", &(last + 1).to_string())?;
    define(&mut text, "YY_MAX_SHIFT", &last.to_string())?;
    define(&mut text, "YY_ACTTAB_COUNT", &format!("({})", action.numbers.len()))?;
    define(&mut text, "YY_SHIFT_COUNT", &format!("({last})"))?;
    define(&mut text, "YY_SHIFT_MAX", &format!("({limit_row})"))?;
    define(&mut text, "YY_REDUCE_COUNT", &format!("({last})"))?;
    define(&mut text, "YY_REDUCE_MAX", &format!("({})", row - 1))?;
    for table in [&action, &lookahead, &shift, &goto, &default] {
        write(&mut text, table)?;
    }
    change_rule(&mut text, rule(DELETE)?, DELETE, ",0,0);", "sqlite3DeleteFrom(")?;
    change_rule(&mut text, rule(UPDATE)?, UPDATE, ",0,0,0);", "sqlite3Update(")?;
    Ok(text)
}

/// The number in a table, or None if the index lies outside.
fn cell(table: &Table, index: i32) -> Option<i32> {
    table.numbers.get(usize::try_from(index).ok()?).copied()
}

/// The first number behind a text.
fn number_after(text: &str, before: &str) -> Result<i32, String> {
    let (_, rest) = text.split_once(before).ok_or_else(|| format!("`{before}` is missing"))?;
    let digits: String = rest.trim_start_matches([' ', '(']).chars().take_while(char::is_ascii_digit).collect();
    digits.parse().map_err(|_| format!("no number is behind `{before}`"))
}

/// The number of a symbol or rule: it stands in a comment that ends where `entry` begins.
fn listed(text: &str, entry: &str) -> Result<i32, String> {
    let (before, _) = text.split_once(entry).ok_or_else(|| format!("`{entry}` is missing"))?;
    let number = before.rsplit("/*").next().unwrap_or_default().trim();
    number.parse().map_err(|_| format!("no number is before `{entry}`"))
}

/// Reads an array that begins with `head`.
fn table(text: &str, head: &str) -> Result<Table, String> {
    let (_, rest) = text.split_once(head).ok_or_else(|| format!("`{head}` is missing"))?;
    let (body, _) = rest.split_once("};").ok_or_else(|| format!("`{head}` has no end"))?;
    let mut numbers = Vec::new();
    for line in body.lines() {
        let values = line.split_once("*/").map_or(line, |(_, values)| values);
        for value in values.split(',').map(str::trim).filter(|value| !value.is_empty()) {
            numbers.push(value.parse().map_err(|_| format!("`{value}` in `{head}` is not a number"))?);
        }
    }
    Ok(Table { numbers, head: head.to_owned() })
}

/// Puts the numbers of a table into the text.
fn write(text: &mut String, table: &Table) -> Result<(), String> {
    let begin = text.find(&table.head).ok_or_else(|| format!("`{}` is missing", table.head))? + table.head.len();
    let length = text[begin..].find("};").ok_or_else(|| format!("`{}` has no end", table.head))?;
    let mut body = String::from("\n");
    for line in table.numbers.chunks(16) {
        for number in line {
            body.push_str(&number.to_string());
            body.push(',');
        }
        body.push('\n');
    }
    text.replace_range(begin..begin + length, &body);
    Ok(())
}

/// Gives a constant of the parser another value.
fn define(text: &mut String, name: &str, value: &str) -> Result<(), String> {
    let head = format!("#define {name} ");
    let begin = text.find(&head).ok_or_else(|| format!("`{head}` is missing"))? + head.len();
    let length = text[begin..].find('\n').unwrap_or_default();
    text.replace_range(begin..begin + length, value);
    Ok(())
}

/// Makes a rule longer by the two clauses: its length in `yyRuleInfoNRhs[]`, and its action, where symbols are counted from the end and
/// `call` gets the clauses in place of the zeros in `ending`.
fn change_rule(text: &mut String, number: i32, name: &str, ending: &str, call: &str) -> Result<(), String> {
    let symbols = name.split(' ').count() as i32 - 2;
    let length = |count: i32| format!("-{count},  /* ({number}) {name} */");
    let old = length(symbols);
    let at = text.find(&old).ok_or_else(|| format!("`{old}` is missing"))?;
    text.replace_range(at..at + old.len(), &length(symbols + MORE_SYMBOLS));

    let head = format!("case {number}: /* {name} */\n");
    let begin = text.find(&head).ok_or_else(|| format!("`{head}` is missing"))? + head.len();
    let size = text[begin..].find("        break;").ok_or("an action has no end")?;
    let mut action = String::new();
    let mut parts = text[begin..begin + size].split("yymsp[");
    action.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (index, rest) = part.split_once(']').ok_or("a symbol has no index")?;
        let index: i32 = index.parse().map_err(|_| format!("`{index}` is not an index"))?;
        action.push_str(&format!("yymsp[{}]{rest}", index - MORE_SYMBOLS));
    }
    // The union's member of a list of expressions and of an expression, from the rules that make the two clauses.
    let member = |rule: &str, before: &str| -> Result<String, String> {
        let (_, rest) = text.split_once(&format!(": /* {rule} */")).ok_or_else(|| format!("`{rule}` has no action"))?;
        let (_, rest) = rest.split_once(before).ok_or_else(|| format!("`{rule}` makes no value"))?;
        Ok(rest.chars().take_while(char::is_ascii_alphanumeric).collect())
    };
    let order = member("orderby_opt ::= ORDER BY sortlist", "yymsp[-2].minor.")?;
    let limit = member("limit_opt ::= LIMIT expr", "yymsp[-1].minor.")?;
    let at = action.find(call).ok_or_else(|| format!("`{name}` does not call {call}"))?;
    let zeros = action[at..].find(ending).ok_or_else(|| format!("{call} has other arguments"))? + at;
    let clauses = ending.replacen(",0,0", &format!(",yymsp[-1].minor.{order},yymsp[0].minor.{limit}"), 1);
    action.replace_range(zeros..zeros + ending.len(), &clauses);
    text.replace_range(begin..begin + size, &action);
    Ok(())
}
