package dev.drydock.server.contract;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** {@code make api-snapshot}: makes what this checkout offers the committed contract. */
final class Recording {
  private Recording() {}

  /**
   * Writes idl/ and snapshot/, unless that would break callers and nobody said so.
   *
   * @param args an empty folder to work in, and "yes" if callers may be broken
   */
  public static void main(String[] args) throws IOException {
    Path offered = Path.of(args[0]);
    boolean breaking = args.length > 1 && args[1].equals("yes");
    Contract contract = Contract.committed();
    Contract.offered().write(offered);
    Set<String> additions = contract.additions(offered);
    Set<String> broken = contract.record(offered, breaking);
    additions.forEach(change -> System.out.println("added: " + change));
    broken.forEach(change -> System.out.println("breaks callers: " + change));
    if (!broken.isEmpty() && !breaking) {
      System.out.println("Nothing was recorded. If it has to be: " + Contract.BREAK_COMMAND);
      System.exit(1);
    }
    System.out.println("The contract is recorded in " + contract.folder() + "/{idl,snapshot}.");
  }
}
