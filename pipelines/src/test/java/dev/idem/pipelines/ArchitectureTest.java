/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package dev.idem.pipelines;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  /** The main classes of all modules. */
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.idem.pipelines", "dev.idem.io", "dev.idem.transforms");

  private static final DescribedPredicate<JavaCall<?>> READS_THE_SYSTEM_CLOCK =
      describe("read the system's clock", ArchitectureTest::readsTheSystemClock);

  @Test
  void dependenciesPointFromPipelinesToIoToTransforms() {
    noClasses()
        .that()
        .resideInAPackage("dev.idem.io..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.idem.pipelines..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("dev.idem.transforms..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.idem.io..", "dev.idem.pipelines..")
        .check(CLASSES);
  }

  @Test
  void packagesOfAllModulesAreFreeOfCycles() {
    slices().matching("dev.idem.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void onlyTheAdapterUsesInternalClassesOfKernel() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.idem.io.delta.kernel")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.delta.kernel.internal..", "io.delta.kernel.defaults.internal..")
        .check(CLASSES);
  }

  @Test
  void noClassUsesWhatBeamShades() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.beam.vendor..")
        .check(CLASSES);
  }

  @Test
  void timeComesFromAClock() {
    noClasses().should().callMethodWhere(READS_THE_SYSTEM_CLOCK).check(CLASSES);
  }

  @Test
  void noFieldHoldsRandomness() {
    noFields()
        .should()
        .haveRawType(describe("Random", type -> type.isAssignableTo(Random.class)))
        .check(CLASSES);
  }

  private static boolean readsTheSystemClock(JavaCall<?> call) {
    String owner = call.getTargetOwner().getName();
    return switch (call.getName()) {
      case "currentTimeMillis" -> true;
      // A Clock is a parameter of java.time's; Joda's have none, or a zone.
      case "now" ->
          owner.startsWith("org.joda.time.")
              || (owner.startsWith("java.time.")
                  && call.getTarget().getRawParameterTypes().isEmpty());
      default -> false;
    };
  }
}
