/**
 * The publisher's part of trusted match. This file imports nothing and is meant to be taken as a library: the two
 * answers meet here, at the publisher, and nowhere else.
 */

/** What is read of a context match response. */
export interface OffersMade {
  readonly offers: readonly { readonly package_id: string; readonly score?: number }[];
}

/** What is read of an identity match response. */
export interface PackagesAllowed {
  readonly eligible_package_ids: readonly string[];
}

/** A package to show. */
export interface Activation {
  readonly package_id: string;
  /** Of the offer; 0 where it had none. */
  readonly score: number;
}

/**
 * Activations: offers whose package is eligible, the best score first, equal ones by package id. The order of the
 * offers and of the eligible ids does not matter; a package that is offered twice counts once, with its best score.
 * Pure, and throws nothing for responses that follow their schemas.
 */
export function joinMatches(context: OffersMade, identity: PackagesAllowed): readonly Activation[] {
  const eligible = new Set(identity.eligible_package_ids);
  const best = new Map<string, number>();
  for (const { package_id, score = 0 } of context.offers) {
    if (eligible.has(package_id)) best.set(package_id, Math.max(score, best.get(package_id) ?? 0));
  }
  return [...best]
    .map(([package_id, score]) => ({ package_id, score }))
    .sort((a, b) => b.score - a.score || (a.package_id < b.package_id ? -1 : 1));
}
