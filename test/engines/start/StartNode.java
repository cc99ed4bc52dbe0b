import java.nio.file.Path;
import org.codelibs.opensearch.runner.OpenSearchRunner;
import org.opensearch.common.settings.Settings;

/**
 * Starts one OpenSearch node. The runner's own main class cannot: a node alone in its process gets the discovery
 * type "single-node" and never joins others, and a failure ends it with no word. Settings given while it builds
 * come first. Arguments: the folder for its data, its opensearch.yml.
 */
final class StartNode {
  public static void main(String[] arguments) throws InterruptedException {
    OpenSearchRunner runner = new OpenSearchRunner();
    runner.onBuild((number, settings) -> load(settings, Path.of(arguments[1])));
    try {
      runner.build("-basePath", arguments[0], "-confPath", Path.of(arguments[1]).getParent().toString(),
          "-numOfNode", "1", "-useLogger");
    } catch (Exception failure) {
      failure.printStackTrace();
      System.exit(1);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(runner)));
    Thread.currentThread().join(); // the node's threads do not keep the process alive
  }

  private static void load(Settings.Builder settings, Path file) {
    try {
      settings.loadFromPath(file);
    } catch (java.io.IOException failure) {
      throw new java.io.UncheckedIOException(failure);
    }
  }

  private static void close(OpenSearchRunner runner) {
    try {
      runner.close();
    } catch (java.io.IOException failure) {
      failure.printStackTrace();
    }
  }
}
