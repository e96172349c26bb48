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
package dev.idem.transforms;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.idem.transforms");

  @Test
  void knowsNeitherIoNorPipelines() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.idem.io..", "dev.idem.pipelines..")
        .check(CLASSES);
  }

  @Test
  void knowsNoTargetAndNoRunner() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.delta..",
            "org.apache.beam.runners..",
            "org.apache.beam.sdk.io.jdbc..",
            "org.apache.beam.sdk.io.kafka..",
            "org.apache.hadoop..",
            "org.apache.kafka..",
            "org.apache.parquet..",
            "org.apache.spark..",
            "java.sql..",
            "javax.sql..")
        .check(CLASSES);
  }

  @Test
  void usesNoVendoredClass() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.beam.vendor..")
        .check(CLASSES);
  }

  @Test
  void fingerprintsDoNotKnowDeduplication() {
    noClasses()
        .that()
        .resideInAPackage("dev.idem.transforms.fingerprint..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.idem.transforms.dedup..")
        .check(CLASSES);
  }
}
