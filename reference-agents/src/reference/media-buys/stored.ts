import type {
  Account,
  Brand,
  Forecast,
  FormatId,
  MediaBuyStatus,
  PushNotificationConfig,
  ReportingWebhook,
} from '@agent-registry/surface/agent-kit';
import type { Figures, Price, Rates } from './price.ts';

/** The collection of media buys; each belongs to its buyer. */
export const MEDIA_BUYS = 'media_buys';

/** A media buy as it is kept. Times are epoch milliseconds of its buyer's business time, money is in whole hundredths. */
export interface StoredMediaBuy {
  readonly mediaBuyId: string;
  readonly accountId: string;
  readonly account: Account;
  readonly brand: Brand;
  readonly name?: string;
  readonly currency: string;
  readonly status: MediaBuyStatus;
  /** When it got this status. */
  readonly statusSince: number;
  /** The buyer's wish; it shows as a status only while the buy can run. */
  readonly paused: boolean;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly packages: readonly StoredPackage[];
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly planId?: string;
  /** Why it was rejected or canceled. */
  readonly reason?: string;
  readonly posts?: PushNotificationConfig;
  readonly reports?: StoredReports;
  /** The number of its last webhook. */
  readonly sequence: number;
  /** The test controller let it run without approved creatives. */
  readonly creativesWaived?: true;
}

/** The reports that the buyer of a media buy has posted (the public protocol's `reporting_webhook`). */
export interface StoredReports {
  readonly posts: PushNotificationConfig;
  readonly frequency: ReportingWebhook['reporting_frequency'];
  /** Absent: all. */
  readonly metrics?: readonly string[];
  /** Where the next report begins, epoch milliseconds of the buyer's business time. */
  readonly from: number;
  /** How many were posted. */
  readonly sequence: number;
  /** The last one was posted: there is none after it. */
  readonly ended?: true;
}

export interface StoredPackage {
  readonly packageId: string;
  readonly productId: string;
  readonly name?: string;
  readonly pricingOptionId: string;
  readonly price: Price;
  /** Hundredths; the least budget that the pricing option allows. */
  readonly minSpend: number;
  /** How people take to it, as its product says. */
  readonly rates: Rates;
  /** Hundredths. */
  readonly budget: number;
  readonly startsAt?: number;
  readonly endsAt?: number;
  readonly paused: boolean;
  readonly canceled: boolean;
  readonly assignments: readonly StoredAssignment[];
  /** The formats that its creatives may have. */
  readonly formats: readonly FormatId[];
  readonly audienceIds: readonly string[];
  readonly segmentIds: readonly string[];
  /** Its pacing index: 1 is evenly over the flight. */
  readonly pace: number;
  readonly forecast?: Forecast;
  readonly segments: readonly DeliverySegment[];
  readonly extras: readonly Extra[];
}

export interface StoredAssignment {
  readonly creativeId: string;
  readonly weight?: number;
  /** Whether the creative may run. */
  readonly approved: boolean;
}

/** A stretch of time in which a package delivers in one way; it holds until the next one begins. */
export interface DeliverySegment {
  readonly from: number;
  readonly running: boolean;
  /** First moment of delivery, and when the package's flight ends. */
  readonly starts: number;
  readonly ends: number;
  /** The pacing index. */
  readonly pace: number;
  /** The package's budget, and what of it is left for this and later stretches; hundredths. */
  readonly budget: number;
  readonly room: number;
  /** Units that were delivered before it, and deliveries that were made up. */
  readonly units: number;
  readonly extras: number;
}

/** Delivery that a test made up, on top of what the simulation gives. */
export interface Extra extends Figures {
  readonly at: number;
}
