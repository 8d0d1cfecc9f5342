//! Pictures of the results.

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Bars of equal height, the longest as wide as the picture.
pub(crate) fn bars(title: &str, unit: &str, rows: &[(String, f64)]) -> String {
    let most = rows.iter().map(|(_, value)| *value).fold(f64::MIN_POSITIVE, f64::max);
    let height = 44 + rows.len() * 28;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"820\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"22\" font-weight=\"bold\">{}</text>\n",
        escaped(title)
    );
    for (at, (name, value)) in rows.iter().enumerate() {
        let (y, width) = (36 + at * 28, (value / most * 430.0).max(1.0));
        out.push_str(&format!(
            "<text x=\"10\" y=\"{}\">{}</text><rect x=\"260\" y=\"{y}\" width=\"{width:.1}\" height=\"20\" fill=\"#4878a8\"/>\
             <text x=\"{:.1}\" y=\"{}\">{value:.0} {unit}</text>\n",
            y + 15,
            escaped(name),
            266.0 + width,
            y + 15
        ));
    }
    out.push_str("</svg>\n");
    out
}
