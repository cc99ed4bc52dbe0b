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
      'Methods of the field’s clients',
      [
        'The field has two clients of a registry: `RegistryClient` in `adcp` 9.2.0 from PyPI, and in `@adcp/sdk` 6.11.0 from npm.',
        'Give either of them the address of your registry as its base URL.',
        '`npm run test:peers` asks by each method, and counts those that work.',
        `${counted('python')} methods of the Python client work, and ${counted('javascript')} of the JavaScript one.`,
        'It also lets the `RegistrySync` of both and the `PropertyRegistry` of PyPI follow the feed, and compares what they hold.',
        'What is not built answers 501 with the code `not_built`, and says what to do instead. It never answers 404, which a client takes for "there is none".',
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
