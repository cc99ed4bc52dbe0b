import type { AgentType } from './agent-type.ts';
import type { Finding } from './finding.ts';

/** The tools that make an agent of each type, the deciding type first when an agent has several. */
export const TOOLS_OF_TYPE = {
  sales: ['get_products', 'create_media_buy', 'list_authorized_properties'],
  creative: ['list_creative_formats', 'build_creative', 'preview_creative', 'validate_creative'],
  signals: ['get_signals', 'activate_signal'],
  governance: ['check_governance', 'get_plan_audit_logs', 'sync_plans'],
  brand: ['get_brand_identity'],
  rights: ['get_rights', 'acquire_rights'],
} as const satisfies Partial<Record<AgentType, readonly string[]>>;

/** Sections of the capabilities answer, or protocols it names; they decide where no tool does. */
const TYPE_OF_SECTION: Readonly<Record<string, AgentType>> = {
  measurement: 'measurement',
  media_buy: 'sales',
  creative: 'creative',
  signals: 'signals',
  governance: 'governance',
  brand: 'brand',
};

/**
 * The type of an agent that nobody with authority has declared, from what it exposes: tools first, then a
 * measurement section, then the other sections (an agent card may leave out skills that work). `buying` is never
 * inferred, since such an agent only calls others.
 */
export function inferType(tools: readonly string[], sections: readonly string[]): AgentType {
  return typesShown(tools, sections)[0] ?? 'unknown';
}

/**
 * A warning when the declared type is none of those that the tools and sections show; undefined when they agree,
 * or when one side says nothing.
 */
export function contradiction(
  declared: AgentType,
  tools: readonly string[],
  sections: readonly string[],
): Finding | undefined {
  const shown = typesShown(tools, sections);
  if (declared === 'unknown' || shown.length === 0 || shown.includes(declared)) return undefined;
  return {
    severity: 'warning',
    code: 'type_contradicted',
    pointer: '',
    message: `declared as ${declared}, but its tools are those of a ${shown.join(' and ')} agent`,
    hint: 'correct the declared type, or expose the tools of that type',
  };
}

function typesShown(tools: readonly string[], sections: readonly string[]): AgentType[] {
  const has = new Set(tools);
  const byTool = Object.entries(TOOLS_OF_TYPE).flatMap(([type, names]) =>
    names.some((name) => has.has(name)) ? [type as AgentType] : [],
  );
  const bySection = Object.entries(TYPE_OF_SECTION).flatMap(([section, type]) =>
    sections.includes(section) ? [type] : [],
  );
  return [...new Set([...byTool, ...bySection])];
}
