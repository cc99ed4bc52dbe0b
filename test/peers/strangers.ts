import { createServer } from 'node:http';
import { mcpAgent } from '../calling/support/mcp-agent.ts';

const FILE = JSON.stringify({
  authorized_agents: [{ url: 'https://sales-1.agents.example/mcp', authorized_for: 'Display' }],
});
export const TOKEN_PATH = '/oauth/token';
const TOKEN = JSON.stringify({ access_token: 'a-token-of-a-stranger', token_type: 'Bearer', expires_in: 60 });
const products = [{ product_id: 'home', name: 'Display on the home page' }];

/** Everybody whom a registry visits for its callers: each domain has one file and a token endpoint, and each agent one product. Not listening yet. */
export function strangers() {
  const answers = { get_products: { content: [], structuredContent: { products } } };
  return createServer((request, response) => {
    const { method, url: path = '/' } = request;
    if (path === TOKEN_PATH) response.writeHead(200, { 'content-type': 'application/json' }).end(TOKEN);
    else if (method === 'POST') void mcpAgent({ tools: ['get_products'], answers, path })(request, response);
    else response.end(FILE);
  });
}
