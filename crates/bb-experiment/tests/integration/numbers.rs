use bb_experiment::{parse_integer, parse_list, parse_real};

#[test]
fn integers_are_exact() {
    let good: [(&str, u64); 13] = [
        ("0", 0),
        ("007", 7),
        ("18446744073709551615", u64::MAX),
        ("1e6", 1_000_000),
        ("1E6", 1_000_000),
        ("1e+06", 1_000_000),
        ("1.8446744073709551615e19", u64::MAX),
        ("9007199254740993e0", 9_007_199_254_740_993), // 2^53 + 1 is no f64.
        ("2.50e1", 25),
        ("3.0", 3),
        ("2^20", 1 << 20),
        ("10^19", 10_000_000_000_000_000_000),
        ("2^0", 1),
    ];
    for (text, value) in good {
        assert_eq!(parse_integer(text), Ok(value), "{text}");
    }
}

#[test]
fn what_is_no_integer_is_refused() {
    let bad = [
        "",
        " 1",
        "1 ",
        "-1",
        "+1",
        "1.5",
        "1e",
        "e5",
        "1e-1",
        "1.25e1",
        "1e20",
        "18446744073709551616",
        "2^64",
        "2^-1",
        "2^",
        "^2",
        "2^2^2",
        "1e1e1",
        "1e99999999999999999999",
        "0x10",
        "nan",
        "inf",
        "1_000",
        "١",
        "1/2",
    ];
    for text in bad {
        let error = parse_integer::<u64>(text).unwrap_err();
        assert_eq!((error.text(), error.range()), (text, "the integers 0..2^64"));
    }
    assert_eq!(parse_integer::<u8>("256").unwrap_err().range(), "the integers 0..2^8");
}

#[test]
fn reals_are_finite() {
    for (text, value) in [("0.5", 0.5), ("-1e-3", -0.001), ("2^10", 1024.0), (".5", 0.5), ("1e300", 1e300)] {
        assert_eq!(parse_real(text), Ok(value), "{text}");
    }
    for text in ["", "nan", "NaN", "inf", "-inf", "1e400", "half", "2^0.5", "1,5"] {
        assert_eq!(parse_real(text).unwrap_err().to_string(), format!("{text} is outside the finite numbers"));
    }
}

#[test]
fn lists_are_cut_at_slashes() {
    assert_eq!(parse_list("0.5/-1/2^3", parse_real), Ok(vec![0.5, -1.0, 8.0]));
    assert_eq!(parse_list("1/x/y", parse_real).unwrap_err().text(), "x");
    assert!(parse_list("", parse_real).is_err());
}
