import type { LabResult } from '../domain/lab-report.ts';

/** One exam of an agent that somebody asked for. Times are epoch milliseconds. */
export interface LabReport {
  /** Cannot be guessed: who has it may read the report. */
  readonly id: string;
  /** Canonical URL. */
  readonly agent: string;
  readonly askedAt: number;
  /** Absent: it is under way, or was lost with its process. */
  readonly result?: LabResult;
}

export interface WantedReport extends Pick<LabReport, 'id' | 'agent'> {
  readonly freshMs: number;
  readonly lostMs: number;
}

/** What the lab has seen, kept for 90 days: of an agent the last 20, of all agents the last 20,000. */
export interface LabReports {
  /** The newest one of this agent that is younger than `freshMs`, or than `lostMs` where it has no result. */
  fresh(wanted: Omit<WantedReport, 'id'>, now: number): Promise<LabReport | undefined>;
  /** Begins one, unless there is a fresh one: that one then. */
  begin(wanted: WantedReport, now: number): Promise<{ readonly begun: boolean; readonly report: LabReport }>;
  /** Keeps what was seen; without a result the exam never was. */
  finish(id: string, result: LabResult | undefined): Promise<void>;
  /** Undefined for one that never was, or is too old. */
  find(id: string, now: number): Promise<LabReport | undefined>;
}
