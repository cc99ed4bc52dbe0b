import { Client, Connection } from '@opensearch-project/opensearch';

/** A client of these nodes, whose connections are made when they are needed. `ca`: PEM of the authorities to trust. */
export function connected(nodes: readonly URL[], ca: string | undefined): Client {
  return new Client({
    nodes: nodes.map((node) => nodeOptions(node, ca)),
    Connection: QuietConnection,
    maxRetries: 0, // the client knows no deadline over several attempts
    disablePrototypePoisoningProtection: true, // strict mappings: what a key is called is ours; the check costs
  });
}

function nodeOptions(node: URL, ca: string | undefined) {
  const bare = new URL(node);
  bare.username = '';
  bare.password = '';
  const login = `${decodeURIComponent(node.username)}:${decodeURIComponent(node.password)}`;
  return {
    url: bare,
    ...(node.username !== '' && {
      headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
    }),
    ...(ca !== undefined && { ssl: { ca } }),
  };
}

/** The client writes to stdout when a connection breaks after the head of an answer; our stdout is data. */
class QuietConnection extends Connection {
  override request(
    ...[params, callback]: Parameters<Connection['request']>
  ): ReturnType<Connection['request']> {
    const request = super.request(params, (error, response) => {
      callback(error, response);
      if (error !== null) return;
      request.removeAllListeners('error');
      request.on('error', () => {});
    });
    return request;
  }
}
