// expected: recorded from bun 1.4.5
// Entities that documents declare themselves, and defaults of attributes.
const t = (s) => {
  try {
    console.log(JSON.stringify(s), "=>", JSON.stringify(Bun.XML.parse(s)));
  } catch (e) {
    console.log(JSON.stringify(s), "!!", e.name, e.message.slice(0, 120));
  }
};
t('<!DOCTYPE a [<!ENTITY x "hello">]><a>&x;</a>');
t('<!DOCTYPE a [<!ENTITY x "h&lt;b">]><a>&x;</a>');
t('<!DOCTYPE a [<!ENTITY x "<b>1</b>">]><a>&x;</a>');
t('<!DOCTYPE a [<!ENTITY x "1"><!ENTITY y "&x;&x;">]><a z="&y;">&y;</a>');
t('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>');
t('<!DOCTYPE a [<!ENTITY x "&x;">]><a>&x;</a>');
t("<a>&nope;</a>");
t('<!DOCTYPE a SYSTEM "x.dtd"><a>1</a>');
t('<!DOCTYPE a [<!ELEMENT a ANY><!ATTLIST a b CDATA "d">]><a/>');
t('<!DOCTYPE a [<!ENTITY x "1"><!ENTITY x "2">]><a>&x;</a>');
t("<!DOCTYPE a [<!ENTITY x '&#65;'>]><a>&x;</a>");
t(
  '<!DOCTYPE a [<!ENTITY a "' +
    "x".repeat(1000) +
    '"><!ENTITY b "' +
    "&a;".repeat(1000) +
    '"><!ENTITY c "' +
    "&b;".repeat(1000) +
    '">]><a>&c;</a>',
);
t('<!DOCTYPE a [<!ENTITY x "&#60;b>">]><a>&x;</a>');
t('<!DOCTYPE a [<!ENTITY lt "z">]><a>&lt;</a>');
t(
  '<!DOCTYPE a [<!ENTITY x "v"><!-- <!ENTITY y "no"> -->]><a><!-- &x; --><![CDATA[&x;]]><b c="&x;" d=">&x;">&x;</b></a>',
);
t('<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a>&x;</a>');
t('<!DOCTYPE a [<!ENTITY x "a<b">]><a c="&x;"/>');
t('<!DOCTYPE a [<!ENTITY x "q&quot;\'">]><a c="&x;"/>');
t('<!DOCTYPE a [<!ENTITY x "1">]><a>&y;</a>');
t('<!DOCTYPE a [<!ATTLIST a b (x|y) "x" c CDATA #REQUIRED d CDATA #FIXED "f">]><a b="y"/>');
t('<!DOCTYPE a [<!ENTITY x "1"> junk]><a/>');
t('<!DOCTYPE a [<!ENTITY lt "z"><!ENTITY amp "&#38;#38;">]><a>&lt;&amp;</a>');
t('<?xml version="1.0"?><!DOCTYPE a PUBLIC "p" "s" [<!ENTITY x PUBLIC "a" "b">]><a>&x;!</a>');
t('<!DOCTYPE a [<!ENTITY x "">]><a>&x;</a>');
