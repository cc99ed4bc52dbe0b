import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type StoreFlags, withJson, withStore } from '../options.ts';

export type DoctorFlags = StoreFlags & JsonFlag;

/** `registry doctor`. */
export const defineDoctor: DefineCommand = (program, done) => {
  const command = program
    .command('doctor')
    .description('Check that everything the registry needs is there, and say what to do where it is not.');
  withJson(withStore(command));
  examples(command, 'registry doctor');
  command.action(async (flags: DoctorFlags) => {
    const { doctorCommand } = await import('../run/doctor.ts');
    done(await doctorCommand(flags));
  });
};
