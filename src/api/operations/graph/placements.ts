import { defined, elements, isObject, type JsonObject, parseObject } from '../../../base/json.ts';
import { withinBytes } from '../../../base/json-bytes.ts';
import type { Records } from '../../../ports/records.ts';
import type { PropertiesRead } from '../../../records/agents/publishers.ts';

/** To read them, a file is parsed anew; a longer one would keep everybody waiting. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_ID = 255;
const MAX_TEXT = 2_000;
const MAX_NAMES = 100;
const LISTS = ['property_ids', 'property_tags', 'collection_ids', 'channels', 'tags'] as const;

interface Placement {
  readonly placement_id: string;
  readonly name: string;
}

/** Some of a file's placements; `isCut` where there is no room for others, or the file is too long to be read for them. */
interface PlacementsRead {
  readonly placements: readonly Placement[];
  readonly isCut: boolean;
}

/** The publisher's properties as far as they were read, how many there are, and bytes for the answer. */
interface Asked {
  readonly own: PropertiesRead;
  readonly properties: number;
  readonly room: number;
}

/**
 * The placements of a publisher, from the file that speaks for it as it was last read. Of a file that has properties of others too
 * these are the placements on a property of its own, and those that name none.
 */
export async function placementsOf(
  sources: Pick<Records['sources'], 'liveFile' | 'body'>,
  domain: string,
  { own, properties, room }: Asked,
): Promise<PlacementsRead> {
  const file = await sources.liveFile({ kind: 'adagents', key: domain });
  if (file?.body === undefined) return { placements: [], isCut: file?.url !== undefined };
  const bytes = file.body.bytes > MAX_FILE_BYTES ? undefined : await sources.body(file.body.hash);
  const document = bytes && parseObject(new TextDecoder().decode(bytes));
  if (document === undefined) return { placements: [], isCut: true };
  const isOwn = concerning(own);
  const isShared = elements(document.properties).length > properties;
  const formats = formatsOf(document);
  const placements = elements(document.placements)
    .filter(isObject)
    .filter((placement) => !isShared || isOwn(placement))
    .flatMap((placement) => placementItem(placement, formats) ?? []);
  const shown = withinBytes(placements, room);
  return { placements: shown, isCut: shown.length < placements.length || (isShared && own.isCut) };
}

function concerning({ properties: own }: PropertiesRead): (placement: JsonObject) => boolean {
  const ids = new Set<unknown>(own.map(({ propertyId }) => propertyId));
  const tags = new Set<unknown>(own.flatMap((property) => property.tags));
  return ({ property_ids, property_tags }) => {
    if (property_ids === undefined && property_tags === undefined) return true;
    return (
      elements(property_ids).some((id) => ids.has(id)) || elements(property_tags).some((tag) => tags.has(tag))
    );
  };
}

/** Undefined for one without an id or a name. */
function placementItem(
  placement: JsonObject,
  formats: ReadonlyMap<unknown, JsonObject>,
): Placement | undefined {
  const id = textOf(placement.placement_id, MAX_ID);
  const name = textOf(placement.name, MAX_ID);
  if (id === undefined || name === undefined) return undefined;
  const lists = LISTS.map((key) => [key, namesOf(placement[key])] as const);
  const options = elements(placement.format_options)
    .slice(0, MAX_NAMES)
    .flatMap((option) => (isObject(option) ? (formatOption(option, formats) ?? []) : []));
  return {
    placement_id: id,
    name,
    ...defined({ description: textOf(placement.description, MAX_TEXT), ...Object.fromEntries(lists) }),
    ...(options.length > 0 && { format_options: options }),
    ...{ source: 'adagents_json' },
  };
}

/** The formats of the file by their ids. */
function formatsOf({ formats }: JsonObject): ReadonlyMap<unknown, JsonObject> {
  return new Map(
    elements(formats)
      .filter(isObject)
      .map((format) => [format.format_option_id, format]),
  );
}

/** One that names a format of the file is of its kind; undefined for one that is of no known kind. */
function formatOption(option: JsonObject, formats: ReadonlyMap<unknown, JsonObject>): object | undefined {
  const id = textOf(option.format_option_id, MAX_ID);
  const { format_kind, params } = { ...(id !== undefined && formats.get(id)), ...option };
  const kind = textOf(format_kind, MAX_ID);
  return kind === undefined
    ? undefined
    : { ...defined({ format_option_id: id }), format_kind: kind, ...(isObject(params) && { params }) };
}

function namesOf(value: unknown): readonly string[] | undefined {
  const names = elements(value).flatMap((name) => textOf(name, MAX_ID) ?? []);
  return names.length === 0 ? undefined : names.slice(0, MAX_NAMES);
}

function textOf(value: unknown, most: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= most ? value : undefined;
}
