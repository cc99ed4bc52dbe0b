import { Client, type ClientConfig } from 'pg';
import type { LiveAddress } from '../../adapters/live-address.ts';
import { isRefused } from './postgres-error.ts';

/** How pg's pool hears of a connection that is made, or is not. */
type Connected = (error: Error | null) => void;

/**
 * Connects to the current address. After an authentication failure the address is read again; if it is unchanged, attempts
 * pause.
 */
export function clientAt(address: LiveAddress<string>): typeof Client {
  return class extends Client {
    readonly #url: string;

    constructor(config?: ClientConfig) {
      const url = address.current();
      super({ ...config, connectionString: url });
      this.#url = url;
      // one that breaks just after it was made may say so before the pool listens; its next statement says it again
      this.on('error', () => {});
    }

    override connect(): Promise<Client>;
    override connect(callback: Connected | ((error: null, client: Client) => void)): void;
    override connect(callback?: unknown): Promise<Client> | undefined {
      const connecting = this.#connect();
      if (callback === undefined) return connecting;
      const connected = callback as Connected;
      connecting.then(() => connected(null), connected);
      return undefined;
    }

    async #connect(): Promise<Client> {
      const refusal = address.cooldown();
      if (refusal !== undefined) throw refusal;
      try {
        await super.connect();
        address.accepted();
        return this;
      } catch (error) {
        if (isRefused(error)) address.refused(this.#url, error);
        throw error;
      }
    }
  };
}
