import { elements, isObject, type JsonObject, ownEntry } from '../../base/json.ts';
import type { VocabularyName } from '../../protocol/vocabulary.ts';
import { firstAt } from '../json-path.ts';
import { type CheckFunction, notApplicable } from './check.ts';

/** Task names of which one is enough. */
type OneOf = readonly string[];

interface Protocol {
  readonly tasks: readonly OneOf[];
  /** Its specialisms: an agent that declares one of them owes the tasks of that one instead. */
  readonly specialisms: Readonly<Record<string, readonly OneOf[]>>;
}

/** A declaration that is not kept. */
export interface DeclarationFault {
  /** JSON Pointer into the capabilities. */
  readonly pointer: string;
  /** One sentence: what is declared and which task is missing. */
  readonly message: string;
  readonly missing: OneOf;
}

const all = (...tasks: readonly string[]): readonly OneOf[] => tasks.map((task) => [task]);

/**
 * The tasks that a protocol makes mandatory, and those of each specialism: `required_tools` of compliance/protocols and
 * compliance/specialisms in the public protocol 3.0.26, "the minimal contract that implementers must ship" (its CHANGELOG),
 * and the delivery report of the scenario media_buy_seller/delivery_reporting that sales require.
 * Protocol names are those on the wire.
 */
const SALE = all('get_products', 'create_media_buy', 'get_media_buy_delivery');
const PUBLIC: Readonly<Record<string, Protocol>> = {
  media_buy: {
    tasks: SALE,
    specialisms: {
      'audience-sync': all('sync_audiences', 'list_accounts'),
      'governance-aware-seller': all('sync_governance', 'create_media_buy'),
      'sales-broadcast-tv': SALE,
      'sales-catalog-driven': SALE,
      'sales-guaranteed': SALE,
      'sales-non-guaranteed': SALE,
      'sales-proposal-mode': SALE,
      'sales-social': all('sync_audiences', 'sync_catalogs', 'sync_creatives', 'sync_event_sources'),
    },
  },
  signals: {
    tasks: all('get_signals', 'activate_signal'),
    specialisms: { 'signal-marketplace': all('get_signals'), 'signal-owned': all('get_signals') },
  },
  creative: {
    tasks: all('list_creative_formats'),
    specialisms: {
      'creative-ad-server': all('build_creative'),
      'creative-generative': all('build_creative'),
      'creative-template': all('build_creative'),
    },
  },
  governance: {
    tasks: all('sync_plans', 'check_governance'),
    specialisms: {
      'collection-lists': all('create_collection_list'),
      'content-standards': all('list_content_standards'),
      'governance-delivery-monitor': all('check_governance'),
      'governance-spend-authority': all('sync_plans', 'check_governance'),
      'property-lists': all('create_property_list'),
    },
  },
  brand: { tasks: all('get_brand_identity'), specialisms: { 'brand-rights': all('get_brand_identity') } },
  sponsored_intelligence: { tasks: all('si_initiate_session'), specialisms: {} },
};

/** The same in our vocabulary, which has rights agents without a brand of their own, and no `sync_governance`. */
const OURS: Readonly<Record<string, Protocol>> = {
  media_buy: {
    tasks: SALE,
    specialisms: {
      'audience-sync': all('sync_audiences'),
      'governance-aware-seller': all('create_media_buy'),
      'sales-catalog-driven': all('sync_catalogs'),
      'sales-guaranteed': SALE,
      'sales-non-guaranteed': SALE,
    },
  },
  signals: PUBLIC.signals as Protocol,
  creative: {
    tasks: all('list_creative_formats'),
    specialisms: {
      'creative-generative': all('list_creative_formats', 'build_creative'),
      'creative-template': all('list_creative_formats'),
    },
  },
  governance: {
    tasks: all('check_governance'),
    specialisms: { 'governance-spend-authority': all('sync_plans', 'check_governance') },
  },
  brand: {
    tasks: [['get_brand_identity', 'get_rights']],
    specialisms: { 'brand-rights': all('get_rights', 'acquire_rights') },
  },
};

const PROTOCOLS: Readonly<Record<VocabularyName, Readonly<Record<string, Protocol>>>> = {
  proto: OURS,
  adcp: PUBLIC,
};

/** A declared ability with its tasks: by the descriptions of protocol/get-adcp-capabilities-response.json 3.0.26. */
const ABILITIES: readonly (readonly [path: string, tasks: readonly string[]])[] = [
  ['account.account_financials', ['get_account_financials']],
  ['account.require_operator_auth', ['list_accounts']],
  ['media_buy.audience_targeting', ['sync_audiences']],
  ['media_buy.conversion_tracking', ['sync_event_sources', 'log_event']],
  ['creative.has_creative_library', ['list_creatives']],
  ['creative.supports_generation', ['build_creative']],
  ['creative.supports_transformation', ['build_creative']],
  ['brand.rights', ['get_rights', 'acquire_rights']],
  ['compliance_testing', ['comply_test_controller']],
];

/**
 * Where an agent declares a protocol, a specialism or an ability and does not list the tasks of it; pure. What is not
 * known here is not judged.
 *
 * @param capabilities The answer of the capabilities task.
 * @param tools Names of all tasks that the agent lists.
 */
export function declarationFaults(
  capabilities: JsonObject,
  tools: ReadonlySet<string>,
  vocabulary: VocabularyName,
): readonly DeclarationFault[] {
  const known = PROTOCOLS[vocabulary];
  const specialisms = names(capabilities.specialisms);
  const lacks = (tasks: readonly OneOf[]) =>
    tasks.filter((oneOf) => !oneOf.some((task) => tools.has(task) || tools.has(task.replaceAll('_', '-'))));
  const faults = (pointer: string, name: string, tasks: readonly OneOf[]) =>
    lacks(tasks).map((missing) => ({
      pointer,
      message: `${name} is declared, but the tool list lacks ${missing.join(' or ')}`,
      missing,
    }));
  const protocols = names(capabilities.supported_protocols).flatMap(([name, pointer]) => {
    const protocol = ownEntry(known, name.replaceAll('-', '_'));
    if (protocol === undefined) return [];
    const isNarrowed = specialisms.some(([one]) => ownEntry(protocol.specialisms, one) !== undefined);
    return isNarrowed ? [] : faults(`/supported_protocols${pointer}`, `the protocol ${name}`, protocol.tasks);
  });
  const owed = specialisms.flatMap(([name, pointer]) =>
    Object.values(known).flatMap((protocol) =>
      faults(`/specialisms${pointer}`, `the specialism ${name}`, ownEntry(protocol.specialisms, name) ?? []),
    ),
  );
  const abilities = ABILITIES.flatMap(([path, tasks]) => {
    const { present, value, pointer } = firstAt(capabilities, path);
    const isDeclared = present && (value === true || isObject(value));
    return isDeclared && vocabulary === 'adcp' ? faults(pointer, path, all(...tasks)) : [];
  });
  return [...protocols, ...owed, ...abilities];
}

/** `declared_tasks_offered`: the tool list has the tasks of every protocol, specialism and ability that is declared. */
export const declaredTasksOffered: CheckFunction = ({ answer, tools, demands = 'proto' }) => {
  if (answer.outcome !== 'answered') return notApplicable('the agent has no declaration');
  if (tools === undefined) return notApplicable('an agent card need not list every task');
  const faults = declarationFaults(answer.data, tools, demands);
  const [first] = faults;
  if (first === undefined)
    return { result: 'pass', message: 'all tasks of the declared protocols and specialisms are listed' };
  const more = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
  return {
    result: 'fail',
    message: `missing tool: ${first.message}${more}`,
    pointer: first.pointer,
    expected: first.missing.length === 1 ? first.missing[0] : first.missing,
  };
};

/** Texts of a list, each with the pointer to it. */
function names(list: unknown): readonly (readonly [string, string])[] {
  return elements(list).flatMap((name, index) =>
    typeof name === 'string' ? [[name, `/${index}`] as const] : [],
  );
}
