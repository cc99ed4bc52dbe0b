/** The reason of a badge's event where its kind stands before it: the sentences of the timeline begin with theirs. */
export function withoutKind(reason: string): string {
  return reason.replace(/^(?:Revoked|In grace): /, '');
}
