/** What strangers write to break a page: for tests of the templates, and for those in a browser. */
export const NAUGHTY: readonly string[] = [
  `"'><script>alert(1)</script><img src=x onerror=alert(1)>`,
  '</title></code></svg><svg onload=alert(1)>',
  'javascript:alert(1)//',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '" autofocus onfocus="alert(1)" style="position:fixed;inset:0',
  '</style><style>*{display:none}</style><link rel=stylesheet href=//evil.example/alert(1).css>',
  '\u202egnp.exe\u2066\u0000\u001b[31m\u2028',
  `Z${'\u0301'.repeat(500)}`,
  '\ud800',
  'w'.repeat(5_000),
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'.repeat(30),
  '\ufdfa'.repeat(300),
  "'; rm -rf / #",
  '{{7*7}}<%= 7*7 %>#{alert(1)}',
  '',
];
