/** The officially assigned codes of ISO 3166-1 alpha-2, and XK, by which everybody means Kosovo until it has one. */
export const COUNTRIES: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF
   CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH
   GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW
   KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG
   NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN
   SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE
   YT ZA ZM ZW`.split(/\s+/),
);
/** Reserved codes that mean one country, which has another one: as in names of hosts, and in papers of the European Union. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ['UK', 'GB'],
  ['EL', 'GR'],
]);

/** The country that a code of two letters can only mean, in whatever letters; undefined for one that means none. */
export function countryMeant(code: string): string | undefined {
  const capitals = code.toUpperCase();
  return RESERVED.get(capitals) ?? (COUNTRIES.has(capitals) ? capitals : undefined);
}

export type ReadCountry =
  | { readonly ok: true; readonly country: string }
  | { readonly ok: false; readonly problem: string };

/** The country of a question, in small letters or capitals; of a code that names none, what is wrong with it. */
export function readCountry(text: string): ReadCountry {
  const meant = countryMeant(text);
  if (meant === text.toUpperCase()) return { ok: true, country: meant };
  if (meant !== undefined) return { ok: false, problem: `the ISO 3166-1 code of this country is ${meant}` };
  return { ok: false, problem: 'use an ISO 3166-1 alpha-2 code, for example DE' };
}
