import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, withJson, withStore } from '../options.ts';

export interface AddSourcesFlags extends StoreFlags, JsonFlag {
  readonly from?: string;
}

/** `registry sources add`. */
export const defineSources: DefineCommand = (program, done) => {
  const sources = program.command('sources').description('What the scheduler and crawl --due visit.');
  const add = sources
    .command('add')
    .description('Add domains, due at once; a domain that is known keeps its schedule.')
    .argument('[domain...]', 'domain names, or - for one a line on stdin')
    .option('--from <file>', 'domain names from a file, one a line');
  withJson(withStore(add)).action(async (domains: string[], flags: AddSourcesFlags) => {
    const { addSources } = await import('../run/sources.ts');
    done(await addSources(domains, flags));
  });
  examples(
    sources,
    'registry sources add news.example shop.example',
    'registry sources add --from domains.txt',
  );
};
