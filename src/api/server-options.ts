import type { FastifyBaseLogger } from 'fastify';
import type { Budgets } from '../budgets/budgets.ts';
import type { TierTable } from '../compliance/badges/conditions.ts';
import type { BundleLibrary } from '../compliance/bundles/library.ts';
import type { JoinWay } from '../config/serve-settings.ts';
import type { FileChecks } from '../discovery/file-checks.ts';
import type { AgentExams } from '../domain/lab-report.ts';
import type { EdgeOptions } from '../edge/guarded-server.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Credentials } from '../owners/credentials.ts';
import type { FindProof } from '../owners/proof.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { Clock } from '../ports/clock.ts';
import type { UrlFault } from '../ports/fetcher.ts';
import type { Records } from '../ports/records.ts';
import type { AgentSignatures } from '../signing/agent-keys.ts';
import type { BadgeKeySource } from '../signing/badge-key-source.ts';
import type { BadgeKeys } from '../signing/badge-keys.ts';
import type { RateLimit } from './callers.ts';
import type { MakePage } from './pages/page-makers.ts';
import type { Tester } from './render/check-options.ts';

export interface ServerConfig {
  /** Absent: no limit. */
  readonly rateLimit?: RateLimit;
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Of the program. */
  readonly version: string;
  /** Build, schema, layout and Node, as `--version` tells them. */
  readonly build?: string;
  /** The public address without a trailing slash; absent: links are relative. */
  readonly baseUrl?: string;
  /** What badges are signed with, for good or at each moment; absent: with a key that is kept in the records. */
  readonly badgeKeys?: BadgeKeys | BadgeKeySource;
  /** Which memberships grant badges; absent: the usual ones. */
  readonly tiers?: TierTable;
  /** The version of the protocol that agents are tested for; absent: the newest. */
  readonly complianceTarget?: string;
  /** As whom this registry tests, as owners may know it; absent: as whom it does where no setting says otherwise. */
  readonly tester?: Tester;
  /** Who may become a member; absent: by invitation only. */
  readonly join?: JoinWay;
  /** The folder of the exports; absent: none are offered. */
  readonly exports?: string;
  /** For rendered list answers, bytes. Default 64 MiB. */
  readonly cacheBytes?: number;
  /** For an answer, milliseconds; 503 after it. Default 5,000. */
  readonly answerWithinMs?: number;
  /** By which bounds and clock connections are judged. Default: as those of every server of ours. */
  readonly edge?: Pick<EdgeOptions, 'bounds' | 'now'>;
}

export interface ServerOptions {
  readonly records: Records;
  readonly index: AgentIndex;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** What callers may use. Default: those of the records. */
  readonly budgets?: Budgets;
  /** Why this process could not write to the records or the index when it last tried; undefined while it can. */
  readonly writeFaults?: () => readonly unknown[];
  /** Brings what an owner changed into the list, within the time that a caller may wait for it. */
  readonly onChanged?: () => Promise<void>;
  /** What requests are verified with that agents sign; absent: no signed request is taken. */
  readonly signatures?: AgentSignatures;
  /** The test credentials of owners; absent: none can be stored. */
  readonly credentials?: Credentials;
  /** Checks files and examines agents for anonymous callers; if absent, nothing is fetched for a caller. */
  readonly checks?: FileChecks & Partial<AgentExams>;
  /** Makes pages beside the loop, in place of what makes them on it; absent: that does. */
  readonly pagesBeside?: (here: MakePage) => MakePage;
  /** Looks for what an owner has published; absent: nothing is proven here. */
  readonly findProof?: FindProof;
  /** Refuses addresses that members give; absent: what leads inside is refused when it is called. */
  readonly urlFault?: UrlFault;
  /** The bundles of storyboards of this machine. Default: the embedded one. */
  readonly library?: BundleLibrary;
  readonly config: ServerConfig;
}
