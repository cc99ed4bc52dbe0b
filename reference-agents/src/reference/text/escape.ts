const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * A text as it may stand in HTML, SVG and XML, between tags and in quoted attributes. Characters that XML cannot hold
 * (1.0, section 2.2) become a replacement mark.
 */
export function escaped(text: string): string {
  const sayable = text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return sayable.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] as string);
}
