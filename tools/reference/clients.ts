import { CLIENT_METHODS } from '../../src/api/client-methods.ts';
import { servedDocument } from '../served-document.ts';
import { code, pageHead, table } from './markdown.ts';

/** Every method of the field's two clients of a registry, with what sends it here and whether that is built. */
export async function clientMethodsPage(): Promise<string> {
  const { paths } = await servedDocument();
  const rows = [...CLIENT_METHODS].map(([operation, methods]) => {
    const [method = '', path = ''] = operation.split(' ');
    return { operation, ...methods, isBuilt: paths[path]?.[method.toLowerCase()] !== undefined };
  });
  const counted = (client: 'python' | 'javascript') => {
    const works = new Set(rows.flatMap((row) => (row.isBuilt ? row[client] : [])));
    return `${works.size} of ${new Set(rows.flatMap((row) => row[client])).size}`;
  };
  return [
    pageHead(
      'Methods of existing client libraries',
      [
        'Two client libraries for registries exist: `RegistryClient` in `adcp` 9.2.0 from PyPI, and in `@adcp/sdk` 6.11.0 from npm.',
        'To use them, set their base URL to the address of your registry.',
        '`npm run test:peers` calls each method and counts those that work.',
        `${counted('python')} methods of the Python client work, and ${counted('javascript')} of the JavaScript one.`,
        'It also runs the `RegistrySync` of both and the `PropertyRegistry` of PyPI on the feed, and compares their contents.',
        'Operations that are not implemented return 501 with the code `not_built` and an alternative. They never return 404, which clients interpret as "does not exist".',
      ].join('\n'),
    ),
    table(
      ['operation', 'Python', 'JavaScript', 'here'],
      rows.map(({ operation, python, javascript, isBuilt, instead }) => [
        code(operation),
        python.map(code).join(' '),
        javascript.map(code).join(' '),
        isBuilt ? 'works' : `501: ${instead}`,
      ]),
    ),
  ].join('\n');
}
