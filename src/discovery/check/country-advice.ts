import type { JsonObject } from '../../base/json.ts';
import { nearestName } from '../../base/near-names.ts';
import { COUNTRIES, countryMeant } from '../../domain/country.ts';
import type { Finding } from '../../domain/finding.ts';
import { type Advice, valueAt, written } from './advised-values.ts';

/** Codes in one text. */
const LIST = /^ ?[a-z]{2}(?:(?:, ?|; ?| )[a-z]{2}){0,249} ?$/i;

/** ISO 3166-1 alpha-3, in the order of the codes of two letters; XK has none. */
const ALPHA_3 =
  `AND ARE AFG ATG AIA ALB ARM AGO ATA ARG ASM AUT AUS ABW ALA AZE BIH BRB BGD BEL BFA BGR BHR BDI BEN BLM BMU BRN BOL
   BES BRA BHS BTN BVT BWA BLR BLZ CAN CCK COD CAF COG CHE CIV COK CHL CMR CHN COL CRI CUB CPV CUW CXR CYP CZE DEU DJI
   DNK DMA DOM DZA ECU EST EGY ESH ERI ESP ETH FIN FJI FLK FSM FRO FRA GAB GBR GRD GEO GUF GGY GHA GIB GRL GMB GIN GLP
   GNQ GRC SGS GTM GUM GNB GUY HKG HMD HND HRV HTI HUN IDN IRL ISR IMN IND IOT IRQ IRN ISL ITA JEY JAM JOR JPN KEN KGZ
   KHM KIR COM KNA PRK KOR KWT CYM KAZ LAO LBN LCA LIE LKA LBR LSO LTU LUX LVA LBY MAR MCO MDA MNE MAF MDG MHL MKD MLI
   MMR MNG MAC MNP MTQ MRT MSR MLT MUS MDV MWI MEX MYS MOZ NAM NCL NER NFK NGA NIC NLD NOR NPL NRU NIU NZL OMN PAN PER
   PYF PNG PHL PAK POL SPM PCN PRI PSE PRT PLW PRY QAT REU ROU SRB RUS RWA SAU SLB SYC SDN SWE SGP SHN SVN SJM SVK SLE
   SMR SEN SOM SUR SSD STP SLV SXM SYR SWZ TCA TCD ATF TGO THA TJK TKL TLS TKM TUN TON TUR TTO TUV TWN TZA UKR UGA UMI
   USA URY UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM YEM MYT ZAF ZMB ZWE`.split(/\s+/);

let names: ReadonlyMap<string, string> | undefined;

/** The codes of the countries by their English names, and by their codes of three letters. */
function codesByName(): ReadonlyMap<string, string> {
  const english = new Intl.DisplayNames('en', { type: 'region' });
  const codes = [...COUNTRIES];
  const assigned = codes.filter((code) => code !== 'XK');
  names ??= new Map([
    ...codes.map((code) => [english.of(code) ?? code, code] as const),
    ...assigned.map((code, index) => [ALPHA_3[index] ?? code, code] as const),
  ]);
  return names;
}

/** A code in other letters, or a reserved one for one country, is certain; a name or three letters are a guess. */
export function countryInstead({ pointer }: Finding, document: JsonObject): Advice | undefined {
  const value = valueAt(document, pointer);
  if (typeof value !== 'string') return undefined;
  const meant = countryMeant(value);
  if (meant !== undefined) return { didYouMean: meant, fix: written(pointer, meant) };
  const known = codesByName();
  // a code of three letters is near many others
  const name = value.length === 3 ? value.toUpperCase() : nearestName(value, known.keys());
  const didYouMean = name === undefined ? undefined : known.get(name);
  return didYouMean === undefined ? undefined : { didYouMean };
}

/** The codes of a text such as `de, at`, for a list in its place; undefined for any other text. */
export function countriesOfText(text: string): readonly string[] | undefined {
  if (!LIST.test(text)) return undefined;
  return text.match(/[a-z]{2}/gi)?.map((code) => countryMeant(code) ?? code);
}
