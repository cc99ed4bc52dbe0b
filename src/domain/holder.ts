/** A process as the holder of a lease, a turn or a run. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When it began, as its system counts: a process number is given out again. Empty where the system does not say. */
  readonly started: string;
  /** Where the process number was given: a boot of a machine and its namespace. Empty where the system does not say. */
  readonly place: string;
}

/** The name under which a holder is kept in the records: `host/process/started/place`. */
export function nameOfHolder({ host, pid, started, place }: Holder): string {
  return [host, pid, started, place].join('/');
}

/** The holder of that name; undefined for a name that was not made by `nameOfHolder`. */
export function holderOf(name: string): Holder | undefined {
  const [host = '', pid = '', started = '', place, ...more] = name.split('/');
  if (place === undefined || more.length > 0 || !/^\d+$/.test(pid)) return undefined;
  return { host, pid: Number(pid), started, place };
}

/** For people: `process 4711 on db1`. */
export function holderText(name: string): string {
  const holder = holderOf(name);
  return holder === undefined ? name : `process ${holder.pid} on ${holder.host}`;
}
