exports.x = 1; exports.f = () => "cjs orig"; exports.self = () => exports.f();
