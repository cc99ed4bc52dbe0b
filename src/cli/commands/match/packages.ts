import type { ContentTargets, EligibilityRules } from '../../../domain/trusted-match.ts';
import { isPersonal } from '../../../trusted-match/personal-text.ts';
import { type CheckedFile, invalidFile, parseChecked } from '../../input/checked-file.ts';

/** A package as the file has it. */
interface PackageEntry {
  readonly package_id: string;
  readonly property_ids?: readonly string[];
  readonly formats?: readonly string[];
  readonly artifact_types?: readonly string[];
  readonly languages?: readonly string[];
  readonly topics?: readonly string[];
  readonly keywords?: readonly string[];
  readonly excluded_topics?: readonly string[];
  readonly excluded_keywords?: readonly string[];
  readonly excluded_categories?: readonly string[];
  readonly audiences?: readonly string[];
  readonly suppressed_audiences?: readonly string[];
  readonly frequency_cap?: { readonly max_impressions: number; readonly window_seconds: number };
}

/** The packages in two parts: neither side gets what the other one needs. */
export interface MatchPackages {
  readonly targets: readonly ContentTargets[];
  readonly rules: readonly EligibilityRules[];
}

/** Reads a packages file, JSON or YAML. Throws `input_invalid` with every place that is wrong. */
export function parsePackages(text: string, file: string): MatchPackages {
  const checked: CheckedFile = { file, what: 'packages file', schema: 'trusted-match/packages.json' };
  const { packages } = parseChecked<{ readonly packages: readonly PackageEntry[] }>(text, checked);
  const ids = new Set<string>();
  for (const { package_id } of packages) {
    if (ids.has(package_id)) throw invalidFile(checked, [`duplicate package '${package_id}'`]);
    if (isPersonal(package_id, 'id'))
      throw invalidFile(checked, [`'${package_id}' looks like a user id, so no context match can return it`]);
    ids.add(package_id);
  }
  return { targets: packages.map(targetsOf), rules: packages.map(rulesOf) };
}

/** Reads an audiences file, JSON or YAML: tokens by audience. Throws `input_invalid`. */
export function parseAudiences(text: string, file: string): Readonly<Record<string, readonly string[]>> {
  const checked: CheckedFile = { file, what: 'audiences file', schema: 'trusted-match/audiences.json' };
  return parseChecked<{ readonly audiences: Readonly<Record<string, readonly string[]>> }>(text, checked)
    .audiences;
}

function targetsOf(entry: PackageEntry): ContentTargets {
  return {
    packageId: entry.package_id,
    ...(entry.property_ids && { propertyIds: entry.property_ids }),
    ...(entry.formats && { formats: entry.formats }),
    ...(entry.artifact_types && { artifactTypes: entry.artifact_types }),
    ...(entry.languages && { languages: entry.languages }),
    ...(entry.topics && { topics: entry.topics }),
    ...(entry.keywords && { keywords: entry.keywords }),
    ...(entry.excluded_topics && { excludedTopics: entry.excluded_topics }),
    ...(entry.excluded_keywords && { excludedKeywords: entry.excluded_keywords }),
    ...(entry.excluded_categories && { excludedCategories: entry.excluded_categories }),
  };
}

function rulesOf({
  package_id,
  audiences,
  suppressed_audiences,
  frequency_cap,
}: PackageEntry): EligibilityRules {
  return {
    packageId: package_id,
    ...(audiences && { audiences }),
    ...(suppressed_audiences && { suppressedAudiences: suppressed_audiences }),
    ...(frequency_cap && {
      frequencyCap: {
        maxImpressions: frequency_cap.max_impressions,
        windowSeconds: frequency_cap.window_seconds,
      },
    }),
  };
}
