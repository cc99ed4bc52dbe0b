/** Whether a text can be the e-mail address of a contact: `agents@nova.example`, without a name. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>()",:;]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text);
}

/** Whether a text can be the web page of a contact. */
export function isWebsite(text: string): boolean {
  return text.length <= 2_048 && /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);
}
