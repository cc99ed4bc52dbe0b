/** Why a query is refused; stable codes, part of the wire. */
export type QueryProblemCode =
  | 'unknown_parameter'
  | 'search_only_parameter' // belongs to the search operation
  | 'repeated_parameter'
  | 'empty_value'
  | 'invalid_value'
  | 'value_too_long'
  | 'too_many_values'
  | 'type_conflict' // a measurement filter with another explicit type
  | 'invalid_cursor' // not issued by this registry, or modified
  | 'cursor_mismatch'; // of other filters

export interface QueryProblem {
  readonly code: QueryProblemCode;
  /** The parameter as it was given. */
  readonly parameter: string;
  /** One sentence, lower case, no full stop. */
  readonly detail: string;
  /** The valid values or names, where they can be listed. */
  readonly validValues?: readonly string[];
}
