/**
 * Ports from 1024 that browsers refuse as well (WHATWG Fetch, "bad port"): services that can be made to act on
 * the first line of an HTTP request.
 */
const BAD_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/**
 * Whether a port that a stranger names may be dialled: 80, 443, or a harmless one from 1024. Below are mail, name and
 * login services, which no agent uses.
 *
 * @param port As the WHATWG URL has it: empty for the scheme's own.
 */
export function isWebPort(port: string): boolean {
  const number = Number(port);
  return port === '' || number === 80 || number === 443 || (number >= 1024 && !BAD_PORTS.has(number));
}
